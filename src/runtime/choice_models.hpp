// SPDX-License-Identifier: Apache-2.0
// Written by scripts/train_automatic.py from bench/results/choices-*.json: not to be changed by hand.
// docs/choosing.md says how models are made, and how to make others.
//
// Models of the schedules that are not candidates of `automatic`, and the row of each schedule of the
// registry, in its order. The rows of the candidates come first, then those of this file; schedules may
// share a row.
#pragma once

#include "evenly/schedules/detail/choice_models_of.hpp"

// clang-format off
namespace evenly::detail::other_choice_models {

inline constexpr const char* names[] = {
    "thread_mapped",
    "group_per_tile<2>",
    "group_per_tile<4>",
    "group_per_tile<8>",
    "group_per_tile<16>",
    "group_per_tile",
    "warp_mapped",
    "block_mapped",
    "dynamic_group_per_tile",
    "cta_warp_scan",
    "direct_search",
    "local_warp_search<storage>",
    "local_warp_search<registers>",
    "block_search",
    "two_phase",
    "streamed",
    "multi_phase",
    "merge_path",
    "nonzero_split",
    "group_mapped",
    "group_mapped<32>",
    "group_mapped<block>",
    "binned",
};

inline constexpr unsigned char cores_rows[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1, 0, 0, 0, 2, 3, 4, 5, 7, 0, 0, 0, 8};

// Intel(R) Xeon(R) Processor, 8 threads. Constants are ms for each of: launch, tiles, atoms, root of tiles,
// root of atoms, tiles to 1e5, atoms to 1e6, tiles above 5e5, atoms above 4e6, warp steps, rounds of 32,
// rounds of 8, longest / 1e4, longest / 1e6, root of longest, heaviest block, empty, unlike neighbours,
// unlike others; where sizes are not looked at, for the first 9; for plans the first 3.

inline constexpr double cores_sums_small_constants[] = { // of 92 sets
    1.632e-05, 0.3564, 0.2015, 0.04735, 0.0, 0.03226, 0.0, 0.2535, 0.0, // dynamic_group_per_tile
    0.0, 0.255, 0.0811, 0.03812, 0.01286, 0.03583, 0.0, 0.8379, 0.0, // nonzero_split
    0.0, 0.291, 0.05373, 0.1097, 0.01594, 0.01867, 0.0, 0.0, 0.0, // binned
};
inline constexpr double cores_sums_small_plans[] = {
    0.00169, 0.7529, 0.09886, // dynamic_group_per_tile
    0.00158, 0.3303, 0.01334, // nonzero_split
    0.004329, 5.646, 0.01052, // binned
};
inline constexpr double cores_sums_small_spread[] = {
    0.494, 0.388, 0.364};
inline constexpr choice_model cores_sums_small{9,
    cores_sums_small_constants, cores_sums_small_plans, cores_sums_small_spread, 0.0};

inline constexpr double cores_gathered_sums_small_constants[] = { // of 131 sets
    0.0, 0.232, 0.3385, 0.06058, 0.005368, 0.0201, 0.0, 0.5371, 0.0, // dynamic_group_per_tile
    0.0, 0.2446, 0.09189, 0.02595, 0.0228, 0.06682, 0.0, 0.7281, 0.0, // nonzero_split
    0.0, 0.468, 0.05921, 0.08287, 0.03774, 0.0, 0.0, 0.0, 0.0, // binned
};
inline constexpr double cores_gathered_sums_small_plans[] = {
    0.001684, 0.6275, 0.1203, // dynamic_group_per_tile
    0.001585, 0.2987, 0.01728, // nonzero_split
    0.005013, 4.77, 0.01249, // binned
};
inline constexpr double cores_gathered_sums_small_spread[] = {
    0.49, 0.36, 0.322};
inline constexpr choice_model cores_gathered_sums_small{9,
    cores_gathered_sums_small_constants, cores_gathered_sums_small_plans, cores_gathered_sums_small_spread, 0.25};

inline constexpr double cores_wide_sums_small_constants[] = { // of 92 sets
    0.0, 0.3225, 1.598, 0.1598, 0.03467, 0.2218, 0.0, 8.018, 0.0, // dynamic_group_per_tile
    0.0, 1.878, 0.3284, 0.1147, 0.06875, 0.2294, 0.0, 5.601, 0.0, // nonzero_split
    0.0, 2.389, 0.3312, 0.3031, 0.06643, 0.1699, 0.0, 5.311, 0.0, // binned
};
inline constexpr double cores_wide_sums_small_plans[] = {
    0.001794, 0.7878, 0.101, // dynamic_group_per_tile
    0.001141, 0.3929, 0.01547, // nonzero_split
    0.005373, 5.678, 0.01333, // binned
};
inline constexpr double cores_wide_sums_small_spread[] = {
    0.462, 0.289, 0.326};
inline constexpr choice_model cores_wide_sums_small{9,
    cores_wide_sums_small_constants, cores_wide_sums_small_plans, cores_wide_sums_small_spread, 1.0};

inline constexpr double cores_prefixes_small_constants[] = { // of 92 sets
    0.0, 0.09451, 0.3677, 0.02624, 0.007425, 0.0, 0.0, 0.5999, 0.0, // dynamic_group_per_tile
    0.0, 0.3179, 0.1841, 0.02533, 0.01595, 0.01151, 0.0, 0.4296, 0.0, // nonzero_split
    0.0, 0.1408, 0.07015, 0.02515, 0.05021, 0.01351, 0.0, 0.0, 0.0, // binned
};
inline constexpr double cores_prefixes_small_plans[] = {
    0.001455, 0.7678, 0.1004, // dynamic_group_per_tile
    0.001021, 0.3182, 0.02032, // nonzero_split
    0.004498, 5.553, 0.01858, // binned
};
inline constexpr double cores_prefixes_small_spread[] = {
    0.447, 0.36, 0.37};
inline constexpr choice_model cores_prefixes_small{9,
    cores_prefixes_small_constants, cores_prefixes_small_plans, cores_prefixes_small_spread, 0.25};

inline constexpr double cores_visits_small_constants[] = { // of 131 sets
    3.252e-05, 0.03031, 0.1051, 0.02707, 0.0, 0.06953, 0.0, 0.5778, 0.0, // dynamic_group_per_tile
    0.0, 0.1877, 0.07953, 0.01907, 0.009493, 0.04089, 0.0, 0.3311, 0.0, // nonzero_split
    0.0, 0.0614, 0.05879, 0.07127, 0.02141, 0.01415, 0.0, 0.0, 0.0, // binned
};
inline constexpr double cores_visits_small_plans[] = {
    0.00173, 0.6327, 0.1093, // dynamic_group_per_tile
    0.001606, 0.2507, 0.01592, // nonzero_split
    0.004708, 4.896, 0.01279, // binned
};
inline constexpr double cores_visits_small_spread[] = {
    0.523, 0.461, 0.389};
inline constexpr choice_model cores_visits_small{9,
    cores_visits_small_constants, cores_visits_small_plans, cores_visits_small_spread, 0.0};

inline constexpr double cores_sums_large_constants[] = { // of 159 sets
    0.0, 0.0, 0.02511, 0.1294, 0.0, 0.0, 0.08665, 0.2937, 0.0, 0.0001181, 0.0, 0.01918, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 2.205, // dynamic_group_per_tile
    0.003779, 0.2727, 0.04052, 0.06463, 0.0, 0.0, 0.0167, 0.08933, 0.0006181, 0.001064, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.1493, 0.01124, 1.238, // nonzero_split
    0.003817, 0.0, 0.01623, 0.08999, 0.00399, 0.0, 0.0, 0.1053, 0.002796, 0.001349, 0.0111, 0.01693, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, 1.174, // binned
};
inline constexpr double cores_sums_large_plans[] = {
    0.02305, 0.471, 0.001474, // dynamic_group_per_tile
    0.002839, 0.1943, 0.001444, // nonzero_split
    0.0063, 4.613, 0.000472, // binned
};
inline constexpr double cores_sums_large_spread[] = {
    0.369, 0.243, 0.213};
inline constexpr choice_model cores_sums_large{19,
    cores_sums_large_constants, cores_sums_large_plans, cores_sums_large_spread, 0.0};

inline constexpr double cores_gathered_sums_large_constants[] = { // of 241 sets
    0.0, 0.0, 0.09791, 0.1102, 0.0374, 0.0, 0.07215, 0.7285, 0.03222, 0.000971, 0.0, 0.002851, 0.0, 0.0,
      0.0005408, 0.0, 0.0, 0.0, 2.047, // dynamic_group_per_tile
    0.004362, 0.2393, 0.07931, 0.0531, 0.0, 0.004471, 0.008366, 0.4804, 0.04668, 0.002244, 0.003598, 0.0, 0.0,
      0.0, 0.0001661, 0.0, 0.0, 0.0, 1.585, // nonzero_split
    0.005146, 0.0, 0.08195, 0.04481, 0.0, 0.0, 0.0, 0.5504, 0.05443, 0.004057, 0.0146, 0.0, 0.0, 0.0, 0.001732,
      0.0, 0.0, 0.0, 1.51, // binned
};
inline constexpr double cores_gathered_sums_large_plans[] = {
    0.0271, 0.4357, 0.001625, // dynamic_group_per_tile
    0.00243, 0.1783, 0.002053, // nonzero_split
    0.006655, 3.942, 0.0004402, // binned
};
inline constexpr double cores_gathered_sums_large_spread[] = {
    0.426, 0.316, 0.35};
inline constexpr choice_model cores_gathered_sums_large{19,
    cores_gathered_sums_large_constants, cores_gathered_sums_large_plans, cores_gathered_sums_large_spread, 0.25};

inline constexpr double cores_wide_sums_large_constants[] = { // of 116 sets
    0.0, 0.0, 0.935, 0.7409, 0.1536, 0.0, 0.0, 5.731, 0.0, 0.0, 0.0, 0.0, 0.005175, 0.0, 0.0, 0.0, 0.0, 0.168,
      1.821, // dynamic_group_per_tile
    0.008452, 2.771, 0.4472, 0.2202, 0.0, 0.0, 0.0, 3.235, 0.0, 0.0, 0.0, 0.0, 0.009985, 0.0, 0.0, 0.0, 0.0, 0.0,
      2.312, // nonzero_split
    0.004868, 0.7475, 0.4148, 0.3921, 0.0, 0.0, 0.0, 4.494, 0.0, 0.0, 0.04447, 0.0, 0.01094, 0.0, 0.0, 0.0, 0.0,
      0.2177, 8.784, // binned
};
inline constexpr double cores_wide_sums_large_plans[] = {
    0.01938, 0.6118, 0.007737, // dynamic_group_per_tile
    0.001759, 0.2933, 0.006846, // nonzero_split
    0.006427, 5.168, 0.002041, // binned
};
inline constexpr double cores_wide_sums_large_spread[] = {
    0.344, 0.232, 0.262};
inline constexpr choice_model cores_wide_sums_large{19,
    cores_wide_sums_large_constants, cores_wide_sums_large_plans, cores_wide_sums_large_spread, 0.25};

inline constexpr double cores_prefixes_large_constants[] = { // of 159 sets
    0.0, 0.0, 0.0924, 0.02772, 0.04691, 0.0, 0.0825, 0.1377, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.004318, 0.0,
      0.0, 2.118, // dynamic_group_per_tile
    0.005261, 0.08172, 0.1034, 0.02715, 0.0, 0.0, 0.02228, 0.0, 0.0, 0.0001787, 0.0, 0.01669, 0.0, 0.0, 0.0,
      0.001784, 0.06867, 0.0, 2.155, // nonzero_split
    0.005729, 0.0, 0.07423, 0.02768, 0.009025, 0.0, 0.0, 0.0, 0.01364, 0.001721, 0.003457, 0.01457, 0.0, 0.0, 0.0,
      0.002599, 0.0, 0.0, 1.106, // binned
};
inline constexpr double cores_prefixes_large_plans[] = {
    0.02175, 0.4839, 0.001937, // dynamic_group_per_tile
    0.002306, 0.2003, 0.001963, // nonzero_split
    0.006897, 4.681, 0.0009145, // binned
};
inline constexpr double cores_prefixes_large_spread[] = {
    0.363, 0.143, 0.209};
inline constexpr choice_model cores_prefixes_large{19,
    cores_prefixes_large_constants, cores_prefixes_large_plans, cores_prefixes_large_spread, 0.25};

inline constexpr double cores_visits_large_constants[] = { // of 240 sets
    0.0, 0.0, 0.02552, 0.05989, 0.0, 0.0, 0.05859, 0.1528, 0.0, 0.0, 0.004584, 0.0, 0.0, 0.0, 0.001469, 0.0, 0.0,
      0.0, 2.034, // dynamic_group_per_tile
    0.004021, 0.0, 0.02157, 0.02971, 0.0, 0.0, 0.03369, 0.1218, 0.0, 0.0, 0.006503, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.03935, 1.708, // nonzero_split
    0.003212, 0.0, 0.0203, 0.02433, 0.01899, 0.0, 0.01265, 0.03346, 0.0, 0.0007849, 0.00902, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.9166, // binned
};
inline constexpr double cores_visits_large_plans[] = {
    0.02319, 0.4483, 0.001905, // dynamic_group_per_tile
    0.002744, 0.1627, 0.002034, // nonzero_split
    0.006231, 4.115, 0.0007594, // binned
};
inline constexpr double cores_visits_large_spread[] = {
    0.363, 0.198, 0.265};
inline constexpr choice_model cores_visits_large{19,
    cores_visits_large_constants, cores_visits_large_plans, cores_visits_large_spread, 0.5};

inline constexpr executor_models cores{
    {{ // by what is free
        cores_sums_small,
        cores_gathered_sums_small,
        cores_wide_sums_small,
        cores_prefixes_small,
        cores_visits_small,
    }},
    {{ // by how sizes are distributed
        cores_sums_large,
        cores_gathered_sums_large,
        cores_wide_sums_large,
        cores_prefixes_large,
        cores_visits_large,
    }}
};

inline constexpr unsigned char gpu_rows[] = {
    0, 6, 7, 1, 8, 9, 2, 3, 10, 11, 12, 13, 14, 15, 16, 4, 17, 5, 18, 19, 20, 21, 22};

// NVIDIA H200. Constants are ms for each of: launch, tiles, atoms, root of tiles, root of atoms, tiles to
// 1e5, atoms to 1e6, tiles above 5e5, atoms above 4e6, warp steps, rounds of 32, rounds of 8, longest / 1e4,
// longest / 1e6, root of longest, heaviest block, empty, unlike neighbours, unlike others; where sizes are
// not looked at, for the first 9; for plans the first 3.

inline constexpr double gpu_sums_small_constants[] = { // of 40 sets
    0.004369, 0.0, 0.006778, 0.0, 0.006546, 0.0, 0.0, 0.0, 0.0, // group_per_tile<2>
    0.004249, 0.0, 0.01277, 0.0, 0.00428, 0.0, 0.0, 0.0, 0.0, // group_per_tile<4>
    0.004237, 0.05858, 0.01691, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, // group_per_tile<16>
    0.004307, 0.1702, 0.01913, 0.0, 0.0, 0.005093, 0.0, 0.0, 0.0, // group_per_tile
    0.004497, 0.0038, 0.0, 0.0, 0.005576, 0.0, 0.0, 0.0, 0.0, // dynamic_group_per_tile
    0.007096, 0.0, 0.0, 0.0, 0.01098, 0.0, 0.0, 0.0, 0.0, // cta_warp_scan
    0.008972, 0.0, 0.0, 0.03023, 0.004163, 0.0, 0.0, 0.0, 0.0, // direct_search
    0.006658, 0.0, 0.0, 0.0, 0.01087, 0.0, 0.0, 0.0, 0.0, // local_warp_search<storage>
    0.006559, 0.0, 0.0, 0.0, 0.01108, 0.0, 0.0, 0.0, 0.0, // local_warp_search<registers>
    0.00548, 0.0, 0.0, 0.0, 0.009372, 0.0, 0.0, 0.0, 0.0, // block_search
    0.006907, 0.01526, 0.0, 0.002674, 0.006024, 0.0, 0.0, 0.0, 0.0, // two_phase
    0.008507, 0.0, 0.0, 0.01422, 0.002435, 0.0, 0.0, 0.0, 0.0, // multi_phase
    0.007294, 0.0, 0.0, 0.0121, 0.004137, 0.0, 0.0, 0.0, 0.0, // nonzero_split
    0.009589, 0.0, 0.0, 0.0, 0.01644, 0.0, 0.0, 0.0, 0.0, // group_mapped
    0.006708, 0.0, 0.0, 0.0, 0.01129, 0.0, 0.0, 0.0, 0.0, // group_mapped<32>
    0.006421, 0.0, 0.0, 0.0, 0.01131, 0.0, 0.0, 0.0, 0.0, // group_mapped<block>
    0.005123, 0.005353, 0.0, 0.0, 0.004564, 0.0, 0.0, 0.0, 0.0, // binned
};
inline constexpr double gpu_sums_small_plans[] = {
    0.03105, 0.01157, 0.01215, // group_per_tile<2>
    0.02917, 0.008959, 0.01257, // group_per_tile<4>
    0.02945, 0.001416, 0.009432, // group_per_tile<16>
    0.02968, 0.004587, 0.005136, // group_per_tile
    0.09374, 0.0, 0.09585, // dynamic_group_per_tile
    0.02982, 0.0123, 0.007188, // cta_warp_scan
    0.03087, 0.01567, 0.0001021, // direct_search
    0.02934, 0.02044, 0.003218, // local_warp_search<storage>
    0.02968, 0.02241, 0.004263, // local_warp_search<registers>
    0.02969, 0.0, 0.007479, // block_search
    0.03637, 0.05239, 0.001198, // two_phase
    0.03934, 0.3525, 0.0, // multi_phase
    0.03413, 0.007901, 0.01008, // nonzero_split
    0.02898, 0.01238, 0.002646, // group_mapped
    0.02853, 0.0154, 0.009305, // group_mapped<32>
    0.02959, 0.007747, 0.0006135, // group_mapped<block>
    0.09255, 0.1661, 0.1483, // binned
};
inline constexpr double gpu_sums_small_spread[] = {
    0.521, 0.462, 0.344, 0.291, 0.173, 0.611, 0.169, 0.721, 0.723, 0.468, 0.12, 0.177, 0.114, 0.764, 0.721,
    0.657, 0.169};
inline constexpr choice_model gpu_sums_small{9,
    gpu_sums_small_constants, gpu_sums_small_plans, gpu_sums_small_spread, 0.0};

inline constexpr double gpu_gathered_sums_small_constants[] = { // of 88 sets
    0.005888, 0.0, 0.0, 0.0, 0.01206, 0.0, 0.0, 0.01616, 0.0, // group_per_tile<2>
    0.005305, 0.0, 0.0, 0.0, 0.01207, 0.0, 0.0, 0.02884, 0.0, // group_per_tile<4>
    0.004593, 0.02791, 0.01535, 0.008492, 0.003808, 0.0, 0.0, 0.0606, 0.0, // group_per_tile<16>
    0.00487, 0.2038, 0.01491, 0.0, 0.0, 0.005805, 0.0, 0.0, 0.0, // group_per_tile
    0.005175, 0.003533, 0.0, 0.0008225, 0.006451, 0.0, 0.0, 0.02788, 0.0, // dynamic_group_per_tile
    0.007867, 0.0, 0.0, 0.0, 0.01992, 0.0, 0.0, 0.0, 0.0, // cta_warp_scan
    0.009572, 0.0, 0.0, 0.0278, 0.006044, 0.0, 0.0, 0.0, 0.0, // direct_search
    0.008296, 0.0, 0.0, 0.0, 0.01883, 0.0, 0.0, 0.0, 0.0, // local_warp_search<storage>
    0.008024, 0.0, 0.0, 0.0, 0.01657, 0.0, 0.0, 0.0, 0.0, // local_warp_search<registers>
    0.005904, 0.0, 0.0, 0.0, 0.01435, 0.0, 0.0, 0.02649, 0.0, // block_search
    0.007272, 0.0, 0.0, 0.007788, 0.007487, 0.0, 0.0, 0.01231, 0.0, // two_phase
    0.01024, 0.0, 0.0, 0.01679, 0.003775, 0.0, 0.0, 0.0291, 0.0, // multi_phase
    0.007771, 0.0, 0.0, 0.0148, 0.00585, 0.0, 0.0, 0.0, 0.0, // nonzero_split
    0.01067, 0.0, 0.0, 0.0, 0.02602, 0.0, 0.0, 0.0007158, 0.0, // group_mapped
    0.008749, 0.0, 0.0, 0.0, 0.01853, 0.0, 0.0, 0.0, 0.0, // group_mapped<32>
    0.007795, 0.0, 0.0, 0.0, 0.02179, 0.0, 0.0, 0.0, 0.0, // group_mapped<block>
    0.005722, 0.0, 0.0, 0.002499, 0.004819, 0.0, 0.0005034, 0.01108, 0.0, // binned
};
inline constexpr double gpu_gathered_sums_small_plans[] = {
    0.03298, 0.01348, 0.01315, // group_per_tile<2>
    0.02973, 0.006772, 0.0124, // group_per_tile<4>
    0.02871, 0.01004, 0.01229, // group_per_tile<16>
    0.02888, 0.0, 0.007985, // group_per_tile
    0.08033, 0.0, 0.07582, // dynamic_group_per_tile
    0.02905, 0.01039, 0.0164, // cta_warp_scan
    0.02969, 0.002784, 0.01703, // direct_search
    0.0293, 0.01938, 0.01073, // local_warp_search<storage>
    0.02936, 0.019, 0.009999, // local_warp_search<registers>
    0.02792, 0.001349, 0.0, // block_search
    0.03586, 0.01009, 0.01398, // two_phase
    0.04284, 0.1124, 0.003373, // multi_phase
    0.03687, 0.007193, 0.01507, // nonzero_split
    0.02895, 0.01162, 0.011, // group_mapped
    0.02873, 0.008432, 0.01439, // group_mapped<32>
    0.02773, 0.0002142, 0.0, // group_mapped<block>
    0.09213, 0.04271, 0.09892, // binned
};
inline constexpr double gpu_gathered_sums_small_spread[] = {
    0.692, 0.643, 0.563, 0.331, 0.196, 0.669, 0.169, 0.772, 0.77, 0.513, 0.107, 0.149, 0.118, 0.785, 0.778,
    0.724, 0.177};
inline constexpr choice_model gpu_gathered_sums_small{9,
    gpu_gathered_sums_small_constants, gpu_gathered_sums_small_plans, gpu_gathered_sums_small_spread, 0.5};

inline constexpr double gpu_wide_sums_small_constants[] = { // of 40 sets
    0.01147, 0.0, 0.0, 0.0, 0.07667, 0.0, 0.0, 0.0, 0.0, // group_per_tile<2>
    0.009934, 0.0, 0.04235, 0.0, 0.07625, 0.0, 0.0, 0.0, 0.0, // group_per_tile<4>
    0.007031, 0.1746, 0.1337, 0.0, 0.001464, 0.0, 0.0, 0.0, 0.0, // group_per_tile<16>
    0.005895, 0.5742, 0.06851, 0.0, 0.0, 0.03321, 0.0, 0.0, 0.0, // group_per_tile
    0.01168, 0.01872, 0.00555, 0.01102, 0.03372, 0.0, 0.0, 0.0, 0.0, // dynamic_group_per_tile
    0.01435, 0.0, 0.0, 0.0, 0.1014, 0.0, 0.0, 0.0, 0.0, // cta_warp_scan
    0.02116, 0.0, 0.0, 0.1034, 0.0, 0.0, 0.0, 0.0, 0.0, // direct_search
    0.01545, 0.0, 0.0, 0.0, 0.1136, 0.0, 0.0, 0.0, 0.0, // local_warp_search<storage>
    0.01469, 0.0, 0.0, 0.0, 0.1198, 0.0, 0.0, 0.0, 0.0, // local_warp_search<registers>
    0.01051, 0.0, 0.0, 0.0, 0.05313, 0.0, 0.0, 0.0, 0.0, // block_search
    0.01617, 0.0, 0.0, 0.05565, 0.001403, 0.0, 0.0, 0.0, 0.0, // two_phase
    0.02403, 0.0, 0.0, 0.1338, 0.0, 0.0, 0.0, 0.0, 0.0, // multi_phase
    0.02126, 0.0, 0.0, 0.09883, 0.0, 0.0, 0.0, 0.0, 0.0, // nonzero_split
    0.01811, 0.0, 0.0, 0.0, 0.1334, 0.0, 0.0, 0.0, 0.0, // group_mapped
    0.0156, 0.0, 0.0, 0.0, 0.1141, 0.0, 0.0, 0.0, 0.0, // group_mapped<32>
    0.01404, 0.0, 0.0, 0.0, 0.1145, 0.0, 0.0, 0.0, 0.0, // group_mapped<block>
    0.01163, 0.0, 0.0, 0.03278, 0.01798, 0.0, 0.0, 0.0, 0.0, // binned
};
inline constexpr double gpu_wide_sums_small_plans[] = {
    0.03231, 0.005247, 0.0, // group_per_tile<2>
    0.03, 0.0, 0.0, // group_per_tile<4>
    0.02945, 0.0, 0.0, // group_per_tile<16>
    0.02963, 0.007707, 0.0, // group_per_tile
    0.09695, 0.0, 0.05274, // dynamic_group_per_tile
    0.03003, 0.0157, 0.0, // cta_warp_scan
    0.02959, 0.0001225, 0.0, // direct_search
    0.02882, 0.01412, 0.0, // local_warp_search<storage>
    0.02934, 0.008026, 0.0, // local_warp_search<registers>
    0.03006, 0.0006176, 0.0, // block_search
    0.03748, 0.01484, 0.00082, // two_phase
    0.04055, 0.3109, 0.0, // multi_phase
    0.03423, 0.02239, 0.0002068, // nonzero_split
    0.02839, 0.01522, 0.0, // group_mapped
    0.0288, 0.01415, 0.0, // group_mapped<32>
    0.02849, 0.001888, 0.0, // group_mapped<block>
    0.1022, 0.1535, 0.07832, // binned
};
inline constexpr double gpu_wide_sums_small_spread[] = {
    0.699, 0.682, 0.589, 0.51, 0.286, 0.64, 0.232, 0.793, 0.798, 0.547, 0.168, 0.263, 0.241, 0.809, 0.792,
    0.735, 0.297};
inline constexpr choice_model gpu_wide_sums_small{9,
    gpu_wide_sums_small_constants, gpu_wide_sums_small_plans, gpu_wide_sums_small_spread, 0.0};

inline constexpr double gpu_prefixes_small_constants[] = { // of 40 sets
    0.008523, 0.0, 0.0, 0.0, 0.01947, 0.0, 0.0, 0.0, 0.0, // group_per_tile<2>
    0.005722, 0.0, 0.0, 0.0, 0.01921, 0.0, 0.0, 0.0, 0.0, // group_per_tile<4>
    0.004686, 0.01745, 0.04898, 0.0, 0.001004, 0.0, 0.0, 0.0, 0.0, // group_per_tile<16>
    0.004389, 0.09381, 0.04893, 0.0, 0.0, 0.01862, 0.0, 0.0, 0.0, // group_per_tile
    0.007835, 0.0, 0.01351, 0.0, 0.0048, 0.0, 0.0, 0.0, 0.0, // dynamic_group_per_tile
    0.007002, 0.0, 0.0, 0.0, 0.01265, 0.0, 0.0, 0.0, 0.0, // cta_warp_scan
    0.008591, 0.0, 0.0, 0.02692, 0.004142, 0.0, 0.0, 0.0, 0.0, // direct_search
    0.007144, 0.0, 0.0, 0.0, 0.0116, 0.0, 0.0, 0.0, 0.0, // local_warp_search<storage>
    0.006627, 0.0, 0.0, 0.0, 0.01087, 0.0, 0.0, 0.0, 0.0, // local_warp_search<registers>
    0.005762, 0.0, 0.0, 0.0, 0.0116, 0.0, 0.0, 0.0, 0.0, // block_search
    0.007864, 0.01184, 0.0, 0.003475, 0.007815, 0.0, 0.0, 0.0, 0.0, // two_phase
    0.007128, 0.007768, 0.0, 0.00895, 0.004554, 0.0, 0.0, 0.0, 0.0, // multi_phase
    0.006383, 0.0, 0.0, 0.009718, 0.004981, 0.0, 0.0, 0.0, 0.0, // nonzero_split
    0.009494, 0.0, 0.0, 0.0, 0.01598, 0.0, 0.0, 0.0, 0.0, // group_mapped
    0.007328, 0.0, 0.0, 0.0, 0.0116, 0.0, 0.0, 0.0, 0.0, // group_mapped<32>
    0.00717, 0.0, 0.0, 0.0, 0.01263, 0.0, 0.0, 0.0, 0.0, // group_mapped<block>
    0.006843, 0.0, 0.0, 0.0, 0.006487, 0.0, 0.0, 0.0, 0.0, // binned
};
inline constexpr double gpu_prefixes_small_plans[] = {
    0.03133, 0.0, 0.005337, // group_per_tile<2>
    0.02941, 0.0, 0.00612, // group_per_tile<4>
    0.02978, 0.008796, 0.001586, // group_per_tile<16>
    0.02956, 0.006036, 0.001211, // group_per_tile
    0.09524, 0.0, 0.07618, // dynamic_group_per_tile
    0.03006, 0.001996, 0.0, // cta_warp_scan
    0.03004, 0.0, 0.0, // direct_search
    0.03056, 0.0, 0.0, // local_warp_search<storage>
    0.02967, 0.01977, 0.004615, // local_warp_search<registers>
    0.02988, 0.0, 0.00378, // block_search
    0.03728, 0.0, 0.004021, // two_phase
    0.04122, 0.3011, 0.0, // multi_phase
    0.03407, 0.03877, 0.0, // nonzero_split
    0.02912, 0.007916, 0.0003791, // group_mapped
    0.02961, 0.0, 0.0, // group_mapped<32>
    0.02962, 0.0, 0.0, // group_mapped<block>
    0.09642, 0.1272, 0.1122, // binned
};
inline constexpr double gpu_prefixes_small_spread[] = {
    0.817, 0.732, 0.56, 0.504, 0.359, 0.662, 0.186, 0.744, 0.725, 0.499, 0.134, 0.185, 0.133, 0.768, 0.742,
    0.687, 0.284};
inline constexpr choice_model gpu_prefixes_small{9,
    gpu_prefixes_small_constants, gpu_prefixes_small_plans, gpu_prefixes_small_spread, 0.0};

inline constexpr double gpu_visits_small_constants[] = { // of 88 sets
    0.003602, 0.0, 0.0, 0.0, 0.00489, 0.0, 0.0, 0.01305, 0.0, // group_per_tile<2>
    0.003474, 0.009753, 0.001151, 0.0, 0.002859, 0.0, 0.0, 0.01381, 0.0, // group_per_tile<4>
    0.003442, 0.06675, 8.858e-05, 0.0, 0.0008485, 0.00143, 0.0, 0.01349, 0.0, // group_per_tile<16>
    0.003702, 0.151, 0.0, 0.0, 0.0007733, 0.000385, 0.0, 0.0, 0.0, // group_per_tile
    0.003767, 0.004065, 0.0008135, 0.001413, 0.0001734, 0.0, 0.0, 0.007458, 0.0, // dynamic_group_per_tile
    0.004467, 0.0, 0.0, 0.0, 0.004256, 0.0, 0.0, 0.009302, 0.0, // cta_warp_scan
    0.00666, 0.0, 0.0, 0.02265, 0.0, 0.0, 0.0, 0.0, 0.0, // direct_search
    0.004882, 0.0, 0.0, 0.0, 0.005447, 0.0, 0.0, 0.0005625, 0.0, // local_warp_search<storage>
    0.004778, 0.0, 0.0, 0.0, 0.005059, 0.0, 0.0, 0.001198, 0.0, // local_warp_search<registers>
    0.004344, 0.0, 0.0, 0.0, 0.007131, 0.0, 0.0, 0.01173, 0.0, // block_search
    0.004566, 0.001891, 0.001934, 0.003277, 0.0, 0.0, 0.0, 0.008626, 0.0, // two_phase
    0.005268, 0.0, 0.0, 0.005517, 0.0, 0.0, 0.0, 0.03911, 0.0, // multi_phase
    0.004476, 0.0, 0.0, 0.007467, 0.0, 0.0, 0.0, 0.0, 0.0, // nonzero_split
    0.006129, 0.0, 0.0, 0.0, 0.008225, 0.0, 0.0, 0.01056, 0.0, // group_mapped
    0.004916, 0.0, 0.0, 0.0, 0.005623, 0.0, 0.0, 0.0005915, 0.0, // group_mapped<32>
    0.004923, 0.0, 0.0, 0.0, 0.006609, 0.0, 0.0, 0.001379, 0.0, // group_mapped<block>
    0.004397, 0.0, 0.001638, 0.002093, 0.0, 2.782e-05, 0.0, 0.0, 0.0, // binned
};
inline constexpr double gpu_visits_small_plans[] = {
    0.03666, 0.0, 0.03186, // group_per_tile<2>
    0.02842, 0.0, 0.0, // group_per_tile<4>
    0.02774, 0.0, 0.0, // group_per_tile<16>
    0.02772, 0.0, 0.0, // group_per_tile
    0.08341, 0.0, 0.05138, // dynamic_group_per_tile
    0.02813, 0.0, 0.001596, // cta_warp_scan
    0.02798, 0.002575, 0.0005794, // direct_search
    0.02785, 0.0, 0.0, // local_warp_search<storage>
    0.02808, 0.0, 0.0, // local_warp_search<registers>
    0.0279, 0.002734, 0.0, // block_search
    0.0346, 0.003728, 0.0002363, // two_phase
    0.03962, 0.09507, 0.0, // multi_phase
    0.03428, 0.0, 0.00139, // nonzero_split
    0.02792, 0.0, 0.0, // group_mapped
    0.02807, 0.001161, 0.0, // group_mapped<32>
    0.0273, 0.002953, 0.0, // group_mapped<block>
    0.09309, 0.01605, 0.06639, // binned
};
inline constexpr double gpu_visits_small_spread[] = {
    0.366, 0.314, 0.205, 0.0662, 0.0434, 0.354, 0.188, 0.507, 0.484, 0.387, 0.125, 0.194, 0.128, 0.528, 0.502,
    0.527, 0.0751};
inline constexpr choice_model gpu_visits_small{9,
    gpu_visits_small_constants, gpu_visits_small_plans, gpu_visits_small_spread, 0.0};

inline constexpr double gpu_sums_large_constants[] = { // of 69 sets
    0.004269, 0.0, 0.0009018, 0.0, 0.0003179, 0.0, 0.0, 0.002351, 0.0, 0.0, 0.0002849, 0.000287, 0.1367, 0.0,
      0.00147, 0.003817, 0.01073, 0.001953, 0.0, // group_per_tile<2>
    0.00419, 0.0, 0.0001596, 0.0, 0.0009108, 0.0, 0.0, 0.0003579, 0.000467, 5.249e-05, 0.0005348, 0.0001022,
      0.07711, 0.0, 0.001593, 0.001816, 0.01353, 0.002409, 0.0, // group_per_tile<4>
    0.004147, 0.05957, 0.0002861, 0.0, 0.001141, 0.0, 0.0, 0.002289, 0.0004318, 0.0, 0.000363, 0.0, 0.02624, 0.0,
      0.0, 0.0002546, 0.0008932, 0.001823, 0.0, // group_per_tile<16>
    0.004407, 0.1932, 0.0, 0.0, 5.067e-05, 0.0, 0.0, 0.002687, 0.0003947, 0.0, 0.001477, 0.0, 0.02739, 0.0, 0.0,
      0.0001329, 0.0, 0.0, 0.0, // group_per_tile
    0.004708, 0.0, 0.0001523, 0.0, 0.003275, 0.0, 0.0, 0.006971, 0.001059, 4.927e-05, 0.000255, 0.0, 0.0, 0.0,
      0.0004193, 0.0, 0.01979, 0.0, 0.01107, // dynamic_group_per_tile
    0.006949, 0.0, 0.00322, 0.0, 0.0001972, 0.0, 0.005573, 0.0109, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.07316,
      0.0, 0.0, 0.00252, // cta_warp_scan
    0.01093, 0.0, 0.003675, 0.02373, 0.0, 0.0, 0.0, 0.004746, 0.002361, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, // direct_search
    0.003618, 0.005209, 0.001822, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0007535, 0.0001173, 5.446e-05, 3.779e-05, 0.1309,
      0.0, 0.003582, 0.2146, 0.0, 0.0, 0.0, // local_warp_search<storage>
    0.003521, 0.003708, 0.001292, 0.0009111, 0.0, 0.0, 0.0, 0.0, 0.0008831, 7.616e-05, 2.404e-05, 0.0002113,
      0.1313, 0.0, 0.003779, 0.2164, 0.0, 0.0, 0.0, // local_warp_search<registers>
    0.004607, 0.0, 4.177e-05, 0.0009601, 0.0, 0.0, 0.0, 0.0, 0.001153, 1.358e-05, 0.0004997, 0.0007562, 0.02488,
      0.0, 0.0, 0.05451, 0.0092, 0.003761, 0.0, // block_search
    0.007104, 0.0, 0.001917, 0.005476, 0.004177, 0.0, 0.0, 0.00207, 0.002004, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0362, 0.0, 0.0, // two_phase
    0.009815, 0.001276, 0.005017, 0.005168, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.05009,
      0.0, 0.0, // multi_phase
    0.009052, 0.0, 0.002835, 0.004721, 0.0, 0.000984, 0.0, 0.001422, 0.0004045, 0.0, 0.0, 0.0, 0.0, 0.0,
      5.461e-05, 3.793e-06, 0.002641, 0.0, 0.0, // nonzero_split
    0.004114, 0.01618, 0.004649, 0.0, 0.0, 0.0, 0.0, 0.002993, 0.001592, 0.0002399, 0.0, 0.0, 0.1746, 0.0, 0.0177,
      0.3492, 0.0, 0.0009152, 0.0003393, // group_mapped
    0.003653, 0.005764, 0.001835, 0.0, 0.0, 0.0, 0.0, 0.0, 0.000779, 0.0001206, 5.6e-05, 2.933e-05, 0.1334, 0.0,
      0.003545, 0.2182, 0.0, 0.0, 0.0, // group_mapped<32>
    0.003832, 0.004972, 0.002734, 0.0, 0.0, 0.0, 0.0, 0.0005041, 0.0007511, 0.0, 4.759e-05, 0.0001774, 0.01866,
      0.0, 0.001146, 0.2426, 0.0, 0.001133, 0.0, // group_mapped<block>
    0.005532, 0.002766, 0.001139, 0.0, 0.002331, 0.0, 0.0, 0.002596, 0.001197, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.02032, 0.002453, 0.01359, // binned
};
inline constexpr double gpu_sums_large_plans[] = {
    0.03187, 0.002322, 8.675e-06, // group_per_tile<2>
    0.02985, 0.002092, 0.0, // group_per_tile<4>
    0.02953, 0.002243, 2.953e-05, // group_per_tile<16>
    0.02984, 0.002202, 0.0, // group_per_tile
    0.1033, 0.0009556, 0.0005254, // dynamic_group_per_tile
    0.03041, 0.002177, 0.0, // cta_warp_scan
    0.03035, 0.002432, 1.281e-06, // direct_search
    0.02964, 0.002153, 2.097e-05, // local_warp_search<storage>
    0.03015, 0.002177, 2.046e-05, // local_warp_search<registers>
    0.02981, 0.002494, 0.0, // block_search
    0.03777, 0.002378, 6.545e-06, // two_phase
    0.0403, 0.01756, 0.0, // multi_phase
    0.03513, 0.002286, 8.753e-05, // nonzero_split
    0.02932, 0.002347, 1.486e-05, // group_mapped
    0.02958, 0.0021, 0.0, // group_mapped<32>
    0.02927, 0.002584, 4.449e-06, // group_mapped<block>
    0.1145, 0.007793, 0.001229, // binned
};
inline constexpr double gpu_sums_large_spread[] = {
    0.0848, 0.0603, 0.0569, 0.0812, 0.166, 0.397, 0.106, 0.171, 0.172, 0.178, 0.0651, 0.102, 0.0612, 0.186,
    0.172, 0.105, 0.176};
inline constexpr choice_model gpu_sums_large{19,
    gpu_sums_large_constants, gpu_sums_large_plans, gpu_sums_large_spread, 1.0};

inline constexpr double gpu_gathered_sums_large_constants[] = { // of 153 sets
    0.003919, 0.0, 0.002189, 0.0, 0.0009217, 0.0, 0.0007656, 0.0, 0.0, 0.0009652, 0.0003444, 0.0, 0.5329, 0.0,
      0.01699, 0.0132, 0.01014, 0.0, 0.0, // group_per_tile<2>
    0.003973, 0.0, 0.001938, 0.0, 0.001452, 0.0002559, 0.0005327, 0.002574, 0.0001459, 0.0006702, 0.0004492, 0.0,
      0.4095, 0.0, 0.004611, 0.005836, 0.01412, 0.001807, 0.0, // group_per_tile<4>
    0.004097, 0.0318, 0.001768, 0.0, 0.0, 0.001126, 0.0001398, 0.002929, 0.0005586, 0.0001358, 0.001476, 0.0,
      0.2068, 0.0, 0.0, 0.0, 0.03362, 0.001291, 0.0, // group_per_tile<16>
    0.004606, 0.1957, 0.0, 0.0, 0.0, 0.0, 0.001886, 0.00586, 0.001531, 0.0, 0.002271, 0.0, 0.04304, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, // group_per_tile
    0.005384, 0.0, 0.002204, 0.0, 0.004035, 0.0, 0.0, 0.005693, 0.0007467, 0.0001389, 0.0002059, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.008137, 0.00504, 0.01649, // dynamic_group_per_tile
    0.006899, 0.0, 0.004816, 0.0, 0.002984, 0.0, 0.0008974, 0.007022, 0.0002552, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.1435, 0.001228, 0.0, 0.01486, // cta_warp_scan
    0.01148, 0.0, 0.005569, 0.02147, 0.0, 0.001579, 0.0, 0.0, 0.00172, 0.0, 5.112e-05, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.01198, // direct_search
    0.004145, 0.003778, 0.002704, 0.0, 0.0, 0.0, 0.0001836, 0.0007835, 0.0007792, 0.0004352, 0.0001838, 0.0,
      0.1628, 0.0, 0.01267, 0.2718, 0.0, 0.0, 0.008267, // local_warp_search<storage>
    0.003929, 0.00395, 0.002052, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001009, 0.0004503, 0.0001861, 0.0, 0.1696, 0.0,
      0.007921, 0.266, 0.0, 0.0, 0.005843, // local_warp_search<registers>
    0.005004, 0.0, 0.005331, 0.0003093, 0.0, 0.0, 0.0, 0.0, 0.000586, 0.0004764, 7.007e-05, 0.0007809, 0.03319,
      0.0, 0.0, 0.07666, 0.0114, 0.005833, 0.0, // block_search
    0.007815, 0.0007549, 0.0039, 0.008033, 0.002854, 0.0, 0.001659, 0.001451, 0.002015, 4.837e-05, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.002814, 0.0, 0.01728, // two_phase
    0.0115, 0.0006826, 0.007555, 0.0104, 0.0, 0.0, 0.0, 0.0, 0.0001378, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.009585, 0.0, 0.01874, // multi_phase
    0.009662, 0.0, 0.00464, 0.004001, 0.0, 0.002472, 0.001919, 0.00241, 0.0005392, 6.061e-05, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.001145, 0.01531, // nonzero_split
    0.004653, 0.01575, 0.004496, 0.0, 0.0, 0.0, 0.0, 0.004294, 0.001836, 0.000256, 8.497e-05, 0.0001839, 0.2262,
      0.0, 0.01985, 0.3838, 0.0, 0.0, 0.006533, // group_mapped
    0.004238, 0.004083, 0.002478, 0.0, 0.0, 0.0, 1.89e-05, 0.00157, 0.0008745, 0.0004321, 0.0001629, 0.0, 0.1806,
      0.0, 0.0138, 0.2902, 0.0, 0.0, 0.004777, // group_mapped<32>
    0.004441, 0.005514, 0.003758, 0.0, 0.0, 0.0, 0.0, 0.002599, 0.000983, 0.0, 8.58e-05, 0.0, 0.0217, 0.0,
      0.005554, 0.3593, 0.0, 0.0, 0.009231, // group_mapped<block>
    0.006184, 0.0, 0.003967, 0.000612, 0.001237, 0.0, 0.0, 0.00223, 0.000798, 2.955e-05, 8.604e-05, 0.0, 0.0, 0.0,
      0.0002142, 0.0, 0.0, 0.0, 0.04761, // binned
};
inline constexpr double gpu_gathered_sums_large_plans[] = {
    0.0382, 0.006746, 0.0003729, // group_per_tile<2>
    0.03387, 0.006846, 0.0001866, // group_per_tile<4>
    0.03283, 0.003796, 0.0002023, // group_per_tile<16>
    0.0321, 0.001921, 0.0002332, // group_per_tile
    0.1038, 0.002574, 0.0008308, // dynamic_group_per_tile
    0.0333, 0.007164, 9.377e-05, // cta_warp_scan
    0.03401, 0.006894, 6.436e-05, // direct_search
    0.03285, 0.007212, 9.926e-05, // local_warp_search<storage>
    0.03337, 0.006767, 0.0001328, // local_warp_search<registers>
    0.02844, 0.002569, 0.0, // block_search
    0.04062, 0.007155, 0.0001564, // two_phase
    0.04417, 0.0243, 0.0, // multi_phase
    0.04169, 0.007255, 0.000141, // nonzero_split
    0.03292, 0.006237, 0.0001307, // group_mapped
    0.0332, 0.00724, 6.971e-05, // group_mapped<32>
    0.02846, 0.002516, 2.476e-05, // group_mapped<block>
    0.1165, 0.02217, 0.001152, // binned
};
inline constexpr double gpu_gathered_sums_large_spread[] = {
    0.169, 0.155, 0.109, 0.111, 0.216, 0.324, 0.124, 0.194, 0.187, 0.277, 0.137, 0.129, 0.188, 0.181, 0.186,
    0.124, 0.193};
inline constexpr choice_model gpu_gathered_sums_large{19,
    gpu_gathered_sums_large_constants, gpu_gathered_sums_large_plans, gpu_gathered_sums_large_spread, 1.0};

inline constexpr double gpu_wide_sums_large_constants[] = { // of 50 sets
    0.00941, 0.03941, 0.005895, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.002027, 0.003172, 0.0, 1.234, 0.0, 0.0, 0.3365,
      0.0, 0.0, 0.1035, // group_per_tile<2>
    0.00794, 0.08161, 0.01689, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001065, 0.004106, 0.0, 1.201, 0.0, 0.0, 0.2808,
      0.0, 0.0, 0.09478, // group_per_tile<4>
    0.004391, 0.315, 0.005707, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001451, 0.002425, 0.0, 0.8737, 0.0, 0.0, 0.01893,
      0.0, 0.0, 0.1198, // group_per_tile<16>
    0.004527, 0.7441, 0.001895, 0.0, 0.0, 0.0, 0.0, 0.02232, 0.0, 0.0, 0.005187, 0.0, 0.3536, 0.0, 0.0, 0.000837,
      0.0, 0.0, 0.01358, // group_per_tile
    0.01451, 0.02243, 0.006043, 0.0, 0.008846, 0.0, 0.0, 0.0562, 0.0, 0.002575, 0.003007, 0.0, 0.0, 0.0, 0.004601,
      0.001274, 0.0, 0.0, 0.1176, // dynamic_group_per_tile
    0.01255, 0.02009, 0.01639, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.005849, 0.0, 0.004659, 0.0, 0.04453, 0.6047,
      0.0, 0.0, 0.2213, // cta_warp_scan
    0.02306, 0.04307, 0.01731, 0.06652, 0.0, 0.0, 0.0, 0.004134, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.02031,
      0.0, 0.05759, // direct_search
    0.007328, 0.05657, 0.02749, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001477, 0.002329, 0.0, 0.7725, 0.0, 0.07698,
      1.039, 0.0, 0.0, 0.1451, // local_warp_search<storage>
    0.006403, 0.05389, 0.03289, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001166, 0.002887, 0.0, 0.7882, 0.0, 0.0829, 1.046,
      0.0, 0.0, 0.2127, // local_warp_search<registers>
    0.007528, 0.07371, 0.002705, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001933, 0.002043, 0.06778, 0.0, 0.03357,
      0.2406, 0.0, 0.0, 0.1315, // block_search
    0.01659, 0.06085, 0.02052, 0.02049, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.04647, 0.0,
      0.06192, // two_phase
    0.02861, 0.0, 0.01396, 0.08414, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1498, 0.0,
      0.1113, // multi_phase
    0.0246, 0.0, 0.01248, 0.05935, 0.0, 0.0, 0.0, 0.0003816, 0.0, 0.0, 0.000392, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0463,
      0.003721, 0.08974, // nonzero_split
    0.006168, 0.06948, 0.03727, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001549, 0.0031, 0.0, 0.9277, 0.0, 0.09263, 1.389,
      0.0, 0.0, 0.2267, // group_mapped
    0.007342, 0.05768, 0.02743, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001497, 0.00235, 0.0, 0.7674, 0.0, 0.07867, 1.042,
      0.0, 0.0, 0.145, // group_mapped<32>
    0.007321, 0.05901, 0.03483, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.002368, 0.0, 0.1094, 0.0, 0.03433, 1.33, 0.0,
      0.0, 0.1237, // group_mapped<block>
    0.01404, 0.02183, 0.00449, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001888, 0.0, 0.01105, 0.0, 0.0, 0.006881, 0.002021,
      0.07301, 0.0, 0.1455, // binned
};
inline constexpr double gpu_wide_sums_large_plans[] = {
    0.03218, 0.0, 0.000641, // group_per_tile<2>
    0.02956, 0.00353, 0.000187, // group_per_tile<4>
    0.02881, 0.0, 0.0006333, // group_per_tile<16>
    0.02928, 0.0, 0.0005095, // group_per_tile
    0.1026, 0.0, 0.001575, // dynamic_group_per_tile
    0.03009, 0.0008839, 0.0006364, // cta_warp_scan
    0.02927, 0.0, 0.001007, // direct_search
    0.02904, 0.001175, 0.0008072, // local_warp_search<storage>
    0.02907, 0.0, 0.001272, // local_warp_search<registers>
    0.02981, 0.00208, 0.0005041, // block_search
    0.03816, 0.001445, 2.757e-06, // two_phase
    0.04145, 0.05364, 0.0, // multi_phase
    0.03459, 8.314e-05, 0.001369, // nonzero_split
    0.02869, 6.277e-05, 0.001041, // group_mapped
    0.02947, 0.001324, 9.126e-05, // group_mapped<32>
    0.02825, 0.002305, 0.000301, // group_mapped<block>
    0.1175, 0.01925, 0.0002386, // binned
};
inline constexpr double gpu_wide_sums_large_spread[] = {
    0.206, 0.208, 0.133, 0.103, 0.25, 0.283, 0.161, 0.209, 0.219, 0.199, 0.133, 0.174, 0.155, 0.212, 0.209,
    0.167, 0.233};
inline constexpr choice_model gpu_wide_sums_large{19,
    gpu_wide_sums_large_constants, gpu_wide_sums_large_plans, gpu_wide_sums_large_spread, 1.0};

inline constexpr double gpu_prefixes_large_constants[] = { // of 68 sets
    0.003568, 0.003674, 0.006447, 0.0, 0.0, 0.0, 0.0, 0.0, 0.003346, 0.0009419, 0.0, 0.002514, 0.9407, 0.0,
      0.01465, 0.2472, 0.005847, 0.0, 0.0, // group_per_tile<2>
    0.003731, 0.0, 0.001662, 0.002012, 0.0, 0.0, 0.0, 0.0, 0.002274, 0.0007452, 0.0002467, 0.002911, 0.6571, 0.0,
      0.002538, 0.06858, 0.01011, 0.0009943, 0.0, // group_per_tile<4>
    0.003841, 0.04222, 0.0001612, 0.0, 0.0, 0.0004846, 0.0005648, 0.0, 0.001119, 0.0001339, 0.001272, 0.0009981,
      0.3145, 0.0, 0.0, 0.004709, 0.02203, 0.0, 0.002079, // group_per_tile<16>
    0.003846, 0.1838, 0.0, 0.0, 0.0, 0.0, 0.0, 0.003818, 0.001019, 0.0001245, 0.004576, 0.0, 0.2046, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, // group_per_tile
    0.008111, 0.02366, 0.001657, 0.0, 0.0, 0.0, 0.01063, 0.007496, 0.005775, 0.0001384, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.06141, // dynamic_group_per_tile
    0.004888, 0.0, 0.005304, 0.0, 0.0008758, 0.0, 0.0, 0.007696, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.006803, 0.1873,
      0.004241, 0.0, 0.007966, // cta_warp_scan
    0.01023, 0.001988, 0.00886, 0.01937, 0.0, 0.0, 0.0, 0.005024, 0.002094, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.001821, // direct_search
    0.003837, 0.003853, 0.001984, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0008724, 7.514e-05, 0.0, 0.0002736, 0.1294, 0.0,
      0.006538, 0.2375, 0.0, 0.0, 0.0, // local_warp_search<storage>
    0.003654, 0.002913, 0.001564, 0.0005959, 0.0, 0.0, 0.0, 0.0, 0.0009103, 7.694e-05, 0.0, 0.0003111, 0.1371,
      0.0, 0.001179, 0.2166, 0.0, 0.0, 0.0, // local_warp_search<registers>
    0.004417, 0.0, 0.004868, 0.0, 0.0, 0.0002832, 0.0, 0.0, 0.001958, 0.0001775, 0.0, 0.001149, 0.03406, 0.0, 0.0,
      0.08858, 0.00729, 0.005064, 0.0, // block_search
    0.009007, 0.0008317, 0.01587, 8.484e-06, 0.0, 0.0, 0.0, 0.0, 0.0004086, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0576, 0.0, 0.001486, // two_phase
    0.008731, 0.0, 0.006662, 0.002402, 0.0, 0.0, 0.0, 0.0, 0.0005336, 0.0, 0.0, 0.0, 1.354e-06, 0.0, 0.0, 0.0,
      0.05016, 0.0, 0.0, // multi_phase
    0.008087, 0.0, 0.006061, 0.004403, 0.0, 0.0, 0.0, 0.000529, 0.0009356, 0.0, 0.0, 1.656e-05, 1.423e-05, 0.0,
      0.0, 3.51e-05, 0.007607, 0.0, 0.0, // nonzero_split
    0.004174, 0.01257, 0.004977, 0.0, 0.0, 0.0, 0.0, 0.006345, 0.001301, 0.0002551, 0.0, 0.0, 0.1777, 0.0,
      0.01619, 0.3451, 0.002842, 0.0, 0.0, // group_mapped
    0.003913, 0.004267, 0.001973, 0.0, 0.0, 0.0, 0.0, 0.0, 0.000922, 7.578e-05, 0.0, 0.0002707, 0.1281, 0.0,
      0.007082, 0.2392, 0.0, 0.0, 0.0, // group_mapped<32>
    0.004138, 0.003383, 0.003398, 0.0, 0.0, 0.0, 0.0, 0.003675, 0.0004913, 0.0, 0.0, 0.0002111, 0.01362, 0.0,
      0.003392, 0.2998, 0.0, 0.0006392, 0.0, // group_mapped<block>
    0.007467, 0.0, 0.003287, 0.0, 0.0007049, 0.0, 0.003303, 0.00712, 0.00429, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0003155,
      0.0, 0.004673, 0.0, 0.038, // binned
};
inline constexpr double gpu_prefixes_large_plans[] = {
    0.03173, 0.002141, 3.047e-05, // group_per_tile<2>
    0.03057, 0.001808, 8.599e-05, // group_per_tile<4>
    0.03026, 0.002195, 3.288e-06, // group_per_tile<16>
    0.02985, 0.001998, 0.0, // group_per_tile
    0.1035, 0.001566, 0.0005558, // dynamic_group_per_tile
    0.02985, 0.002589, 0.0, // cta_warp_scan
    0.02995, 0.002291, 7.293e-05, // direct_search
    0.03009, 0.002318, 0.0, // local_warp_search<storage>
    0.03046, 0.002055, 0.0, // local_warp_search<registers>
    0.03007, 0.002432, 0.0, // block_search
    0.03763, 0.002318, 0.0, // two_phase
    0.04042, 0.01506, 0.0, // multi_phase
    0.03519, 0.0026, 0.0, // nonzero_split
    0.02904, 0.00199, 6.976e-05, // group_mapped
    0.02976, 0.002355, 0.0, // group_mapped<32>
    0.02979, 0.002441, 7.748e-05, // group_mapped<block>
    0.1135, 0.005435, 0.00292, // binned
};
inline constexpr double gpu_prefixes_large_spread[] = {
    0.184, 0.154, 0.052, 0.0625, 0.341, 0.258, 0.108, 0.163, 0.158, 0.268, 0.0602, 0.0894, 0.0662, 0.171,
    0.164, 0.0924, 0.295};
inline constexpr choice_model gpu_prefixes_large{19,
    gpu_prefixes_large_constants, gpu_prefixes_large_plans, gpu_prefixes_large_spread, 0.5};

inline constexpr double gpu_visits_large_constants[] = { // of 152 sets
    0.003301, 0.0, 0.003342, 0.0, 0.0003316, 3.352e-05, 0.000153, 0.0, 0.0, 0.0, 0.0, 0.0, 0.01547, 0.0, 0.0,
      0.0143, 0.008887, 5.541e-05, 0.0, // group_per_tile<2>
    0.003462, 0.0, 0.001359, 0.0, 0.0, 0.0, 0.0, 0.0, 3.594e-06, 0.0, 0.0001823, 0.000894, 0.01247, 0.0, 0.0,
      0.003082, 0.0169, 0.0, 0.0, // group_per_tile<4>
    0.003478, 0.0495, 0.0, 0.0, 0.0001398, 0.0, 0.0, 0.004588, 0.0, 0.0, 0.0006479, 2.341e-05, 0.002998, 0.0, 0.0,
      1.697e-05, 0.01713, 0.0, 0.0, // group_per_tile<16>
    0.003765, 0.1308, 6.167e-05, 0.0, 0.0002054, 0.0, 0.0, 0.003375, 0.0, 0.0, 0.0005899, 0.0, 0.001028, 0.0, 0.0,
      7.639e-05, 0.01034, 0.0, 0.0, // group_per_tile
    0.003724, 0.0003996, 0.0003801, 0.001461, 0.0, 0.0, 0.0, 0.0, 3.711e-05, 2.037e-05, 0.0, 0.0008396, 0.0, 0.0,
      0.0, 0.0, 0.0075, 0.0, 0.003901, // dynamic_group_per_tile
    0.004927, 0.0, 0.001352, 0.0, 0.0, 0.0, 0.001729, 0.003965, 0.0, 1.115e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.007233,
      0.002618, 0.0, 0.003922, // cta_warp_scan
    0.007313, 0.0, 0.001131, 0.01546, 0.0, 0.0008692, 0.0, 0.0, 0.002402, 0.0, 9.198e-05, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.003288, // direct_search
    0.004387, 0.002671, 0.001183, 0.0, 0.0, 0.0, 6.362e-05, 0.001547, 0.0, 0.0, 0.0, 0.0, 0.01013, 0.0, 0.001368,
      0.03207, 0.0, 0.0, 0.0009531, // local_warp_search<storage>
    0.004394, 0.002424, 0.001071, 0.0, 0.0, 0.0, 0.0, 0.001134, 0.0, 3.744e-06, 0.0, 0.0, 0.009281, 0.0,
      0.0008835, 0.02824, 0.0, 0.0004976, 8.724e-05, // local_warp_search<registers>
    0.003749, 0.0, 0.005582, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0005857, 0.0002561, 0.0, 0.0, 0.006681, 0.0, 0.0, 0.0358,
      0.007252, 0.0, 0.0, // block_search
    0.004487, 0.0, 0.003977, 0.001807, 0.0, 8.599e-05, 0.0, 0.0, 3.607e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      1.827e-05, 0.007424, 0.0, 0.0003645, // two_phase
    0.005374, 0.0, 0.0006353, 0.002272, 0.0, 0.0004301, 0.0, 0.0, 0.0005518, 2.172e-06, 0.0, 0.0, 0.0, 0.0,
      6.302e-06, 0.0, 0.01915, 0.0006854, 0.0008076, // multi_phase
    0.004707, 0.0, 0.0007195, 0.00232, 0.0, 0.001062, 0.0, 0.001189, 0.0004054, 0.0, 0.0, 0.0, 0.0, 0.0, 0.000173,
      2.218e-06, 0.0007385, 0.0001919, 0.0, // nonzero_split
    0.00544, 0.006377, 0.00176, 0.0, 0.0003019, 0.0, 0.0009976, 0.008057, 0.0, 0.0, 0.0, 1.478e-05, 0.01011, 0.0,
      0.002452, 0.04143, 0.0, 0.0, 0.003243, // group_mapped
    0.004446, 0.00295, 0.001165, 0.0, 0.0, 0.0, 9.709e-05, 0.001784, 0.0, 0.0, 0.0, 1.401e-05, 0.01014, 0.0,
      0.001361, 0.03185, 0.0, 0.0, 0.001123, // group_mapped<32>
    0.004771, 0.0, 0.001552, 0.0, 4.909e-05, 0.0, 0.001611, 0.0057, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.03989,
      0.0, 0.0, 0.0008829, // group_mapped<block>
    0.004422, 0.0, 0.0008735, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0003184, 0.0, 0.0, 0.0005906, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.02493, // binned
};
inline constexpr double gpu_visits_large_plans[] = {
    0.04403, 0.002515, 0.003241, // group_per_tile<2>
    0.02849, 0.002515, 6.065e-05, // group_per_tile<4>
    0.02781, 0.002734, 1.316e-05, // group_per_tile<16>
    0.02771, 0.002745, 4.734e-05, // group_per_tile
    0.09794, 0.002708, 0.0004357, // dynamic_group_per_tile
    0.02848, 0.002446, 5.862e-05, // cta_warp_scan
    0.02822, 0.002589, 3.954e-05, // direct_search
    0.0281, 0.002539, 3.051e-06, // local_warp_search<storage>
    0.02807, 0.002561, 1.708e-05, // local_warp_search<registers>
    0.02797, 0.002317, 5.092e-05, // block_search
    0.03498, 0.002718, 3.334e-06, // two_phase
    0.03674, 0.01652, 0.0, // multi_phase
    0.03466, 0.002778, 3.654e-05, // nonzero_split
    0.028, 0.002463, 8.652e-06, // group_mapped
    0.02792, 0.002683, 3.17e-05, // group_mapped<32>
    0.02761, 0.002649, 9.987e-06, // group_mapped<block>
    0.1094, 0.009607, 0.0005551, // binned
};
inline constexpr double gpu_visits_large_spread[] = {
    0.286, 0.21, 0.098, 0.0924, 0.14, 0.256, 0.17, 0.214, 0.208, 0.361, 0.11, 0.17, 0.141, 0.26, 0.214, 0.23,
    0.177};
inline constexpr choice_model gpu_visits_large{19,
    gpu_visits_large_constants, gpu_visits_large_plans, gpu_visits_large_spread, 0.0};

inline constexpr executor_models gpu{
    {{ // by what is free
        gpu_sums_small,
        gpu_gathered_sums_small,
        gpu_wide_sums_small,
        gpu_prefixes_small,
        gpu_visits_small,
    }},
    {{ // by how sizes are distributed
        gpu_sums_large,
        gpu_gathered_sums_large,
        gpu_wide_sums_large,
        gpu_prefixes_large,
        gpu_visits_large,
    }}
};

} // namespace evenly::detail::other_choice_models
// clang-format on
