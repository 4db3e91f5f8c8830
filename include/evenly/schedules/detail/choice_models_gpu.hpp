// SPDX-License-Identifier: Apache-2.0
// Written by scripts/train_automatic.py from bench/results/choices-*.json: not to be changed by hand.
// docs/choosing.md says how models are made, and how to make others.
//
// The candidates of `automatic` on a GPU, compiled wherever it is used, and their models.
#pragma once

#include <tuple>

#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/detail/choice_models_of.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/thread_mapped.hpp"

// clang-format off
namespace evenly::detail::choice_models {

inline auto gpu_candidates() {
  return std::tuple{named_schedule<thread_mapped>{"thread_mapped", {}},
                    named_schedule<group_per_tile<8>>{"group_per_tile<8>", {}},
                    named_schedule<warp_mapped>{"warp_mapped", {}},
                    named_schedule<block_mapped>{"block_mapped", {}},
                    named_schedule<streamed>{"streamed", {}},
                    named_schedule<merge_path<>>{"merge_path", {}}};
}

// NVIDIA H200. Constants are ms for each of: launch, tiles, atoms, root of tiles, root of atoms, tiles to
// 1e5, atoms to 1e6, tiles above 5e5, atoms above 4e6, warp steps, rounds of 32, rounds of 8, longest / 1e4,
// longest / 1e6, root of longest, heaviest block, empty, unlike neighbours, unlike others; where sizes are
// not looked at, for the first 9; for plans the first 3.

inline constexpr double gpu_sums_small_constants[] = { // of 40 sets
    0.004449, 0.0, 0.0, 0.0, 0.007908, 0.0, 0.0, 0.0, 0.0, // thread_mapped
    0.004209, 0.01118, 0.01799, 0.0, 0.002268, 0.0, 0.0, 0.0, 0.0, // group_per_tile<8>
    0.004045, 0.1382, 0.004878, 0.0, 0.002122, 0.0003966, 0.0, 0.0, 0.0, // warp_mapped
    0.004069, 0.5751, 0.007075, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, // block_mapped
    0.008362, 0.0141, 0.0, 0.006156, 0.000115, 0.0, 0.0, 0.0, 0.0, // streamed
    0.005657, 0.0, 0.0, 0.003182, 0.004484, 0.0, 0.0, 0.0, 0.0, // merge_path
};
inline constexpr double gpu_sums_small_plans[] = {
    0.05309, 0.04518, 0.03522, // thread_mapped
    0.02856, 0.01483, 0.009856, // group_per_tile<8>
    0.02932, 0.01161, 0.006209, // warp_mapped
    0.02926, 0.008983, 0.01081, // block_mapped
    0.03462, 0.01003, 0.001463, // streamed
    0.03517, 0.03422, 0.004639, // merge_path
};
inline constexpr double gpu_sums_small_spread[] = {
    0.596, 0.414, 0.235, 0.0785, 0.0941, 0.088};
inline constexpr choice_model gpu_sums_small{9,
    gpu_sums_small_constants, gpu_sums_small_plans, gpu_sums_small_spread, 0.0};

inline constexpr double gpu_gathered_sums_small_constants[] = { // of 88 sets
    0.006162, 0.0, 0.0, 0.0, 0.009756, 0.0, 0.0, 0.002736, 0.0, // thread_mapped
    0.004539, 0.0, 0.0001885, 0.0, 0.01508, 0.0, 0.0, 0.05666, 0.0, // group_per_tile<8>
    0.004654, 0.1127, 0.01768, 0.007843, 0.0, 0.003418, 0.0, 0.03833, 0.0, // warp_mapped
    0.004266, 0.6038, 0.008543, 0.0, 0.0, 0.007525, 0.0, 0.0, 0.0, // block_mapped
    0.009349, 0.0, 0.0, 0.0174, 0.0008589, 0.0, 0.0, 0.006468, 0.0, // streamed
    0.006401, 0.0, 0.0, 0.004455, 0.006211, 0.0, 0.0, 0.002812, 0.0, // merge_path
};
inline constexpr double gpu_gathered_sums_small_plans[] = {
    0.05816, 0.02838, 0.04055, // thread_mapped
    0.02889, 0.007944, 0.01404, // group_per_tile<8>
    0.02868, 0.0, 0.005656, // warp_mapped
    0.02822, 0.0, 0.002991, // block_mapped
    0.03387, 0.005571, 0.01998, // streamed
    0.03614, 0.008652, 0.01887, // merge_path
};
inline constexpr double gpu_gathered_sums_small_spread[] = {
    0.703, 0.598, 0.463, 0.237, 0.0954, 0.091};
inline constexpr choice_model gpu_gathered_sums_small{9,
    gpu_gathered_sums_small_constants, gpu_gathered_sums_small_plans, gpu_gathered_sums_small_spread, 0.5};

inline constexpr double gpu_wide_sums_small_constants[] = { // of 40 sets
    0.01272, 0.0, 0.0, 0.0, 0.06089, 0.0, 0.0, 0.0, 0.0, // thread_mapped
    0.006564, 0.002128, 0.07284, 0.0, 0.02729, 0.0, 0.0, 0.0, 0.0, // group_per_tile<8>
    0.005623, 0.4066, 0.06967, 0.0, 0.0, 0.02884, 0.0, 0.0, 0.0, // warp_mapped
    0.005365, 2.781, 0.03374, 0.0, 0.0, 0.02631, 0.0, 0.0, 0.0, // block_mapped
    0.01459, 0.0, 0.0, 0.06903, 0.007176, 0.0, 0.0, 0.0, 0.0, // streamed
    0.01937, 0.0, 0.0, 0.0509, 0.03305, 0.0, 0.0, 0.0, 0.0, // merge_path
};
inline constexpr double gpu_wide_sums_small_plans[] = {
    0.05469, 0.174, 0.02612, // thread_mapped
    0.02994, 0.0, 0.0009824, // group_per_tile<8>
    0.02907, 0.01509, 0.0, // warp_mapped
    0.02885, 0.01446, 0.0, // block_mapped
    0.03604, 0.0009128, 0.0, // streamed
    0.03729, 0.0, 0.003704, // merge_path
};
inline constexpr double gpu_wide_sums_small_spread[] = {
    0.74, 0.693, 0.517, 0.266, 0.217, 0.298};
inline constexpr choice_model gpu_wide_sums_small{9,
    gpu_wide_sums_small_constants, gpu_wide_sums_small_plans, gpu_wide_sums_small_spread, 0.0};

inline constexpr double gpu_prefixes_small_constants[] = { // of 40 sets
    0.005529, 0.0, 0.0, 0.0, 0.008737, 0.0, 0.0, 0.0, 0.0, // thread_mapped
    0.004668, 0.0, 0.01851, 0.0, 0.0129, 0.0, 0.0, 0.0, 0.0, // group_per_tile<8>
    0.00411, 0.09905, 0.03928, 0.0, 0.0, 0.005783, 0.0, 0.0, 0.0, // warp_mapped
    0.004095, 0.5659, 0.01106, 0.0, 0.0, 0.0185, 0.0, 0.0, 0.0, // block_mapped
    0.008091, 0.0, 0.0, 0.008932, 0.002142, 0.0, 0.0, 0.0, 0.0, // streamed
    0.005645, 0.0, 0.0, 0.002757, 0.006788, 0.0, 0.0, 0.0, 0.0, // merge_path
};
inline constexpr double gpu_prefixes_small_plans[] = {
    0.0499, 0.001556, 0.02725, // thread_mapped
    0.02952, 0.0, 0.002405, // group_per_tile<8>
    0.03028, 0.002259, 0.00555, // warp_mapped
    0.02948, 0.0, 0.0008477, // block_mapped
    0.03457, 0.0, 0.005095, // streamed
    0.03685, 0.0, 0.003053, // merge_path
};
inline constexpr double gpu_prefixes_small_spread[] = {
    0.758, 0.628, 0.472, 0.105, 0.0664, 0.109};
inline constexpr choice_model gpu_prefixes_small{9,
    gpu_prefixes_small_constants, gpu_prefixes_small_plans, gpu_prefixes_small_spread, 0.0};

inline constexpr double gpu_visits_small_constants[] = { // of 88 sets
    0.003869, 0.0, 0.0, 0.0, 0.007163, 0.0, 0.0, 0.0004165, 0.0, // thread_mapped
    0.003471, 0.03001, 0.001469, 0.0, 0.00112, 0.0006544, 0.0, 0.01169, 0.0, // group_per_tile<8>
    0.003459, 0.1464, 0.0, 0.0, 0.0004465, 0.0007906, 0.0, 0.006779, 0.0, // warp_mapped
    0.003503, 0.6011, 0.0004888, 0.0, 0.0001015, 0.0, 0.0, 0.002806, 0.0, // block_mapped
    0.004811, 0.0002278, 0.002477, 0.004182, 0.0, 0.0, 0.0, 0.01184, 0.0, // streamed
    0.004398, 0.0, 0.0, 0.006587, 0.0, 0.0, 0.0, 0.0, 0.0, // merge_path
};
inline constexpr double gpu_visits_small_plans[] = {
    0.05381, 0.0, 0.0, // thread_mapped
    0.02792, 0.0, 0.0, // group_per_tile<8>
    0.02826, 0.0, 0.0, // warp_mapped
    0.02759, 0.003148, 0.001919, // block_mapped
    0.03175, 0.003199, 0.001529, // streamed
    0.03435, 0.0, 0.000164, // merge_path
};
inline constexpr double gpu_visits_small_spread[] = {
    0.554, 0.261, 0.0837, 0.0174, 0.113, 0.104};
inline constexpr choice_model gpu_visits_small{9,
    gpu_visits_small_constants, gpu_visits_small_plans, gpu_visits_small_spread, 0.0};

inline constexpr double gpu_sums_large_constants[] = { // of 69 sets
    0.004017, 0.0, 0.00163, 0.0, 0.0005441, 8.18e-05, 0.0, 0.0, 0.0, 2.074e-05, 0.0, 0.0, 0.2584, 0.0, 0.0,
      0.01079, 0.0, 0.003014, 0.0, // thread_mapped
    0.004247, 0.01781, 0.0, 0.0, 0.0003396, 0.0, 0.0, 0.001168, 0.0002275, 2.155e-05, 0.0004964, 0.0004681,
      0.05538, 0.0, 0.001268, 0.0006631, 0.01136, 0.0006054, 0.00197, // group_per_tile<8>
    0.004276, 0.1137, 0.0, 0.0, 0.0002455, 0.0, 0.000378, 0.005584, 1.105e-05, 0.0, 0.0009855, 0.0, 0.007797, 0.0,
      0.0, 6.982e-05, 0.02529, 0.0, 0.0, // warp_mapped
    0.004011, 0.5709, 0.0, 0.0, 0.0009965, 0.0, 0.0005762, 0.02859, 0.0, 4.993e-07, 0.0004218, 0.0, 0.002213, 0.0,
      0.0, 0.0001043, 0.02099, 0.0, 0.0, // block_mapped
    0.00864, 0.0, 0.001537, 0.003171, 0.0005966, 0.0008151, 0.0, 0.002149, 0.0, 0.0, 0.0, 0.0, 2.692e-09, 0.0,
      0.0, 5.122e-05, 0.009558, 0.0, 0.0, // streamed
    0.006668, 0.001985, 0.001859, 0.00152, 0.0005577, 0.0, 0.002216, 0.0002288, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, // merge_path
};
inline constexpr double gpu_sums_large_plans[] = {
    0.06118, 0.001633, 0.001238, // thread_mapped
    0.02924, 0.002033, 5.667e-05, // group_per_tile<8>
    0.03018, 0.002372, 0.0, // warp_mapped
    0.03013, 0.002072, 3.699e-05, // block_mapped
    0.035, 0.00228, 8.806e-05, // streamed
    0.03623, 0.002126, 0.0001048, // merge_path
};
inline constexpr double gpu_sums_large_spread[] = {
    0.135, 0.0529, 0.0776, 0.0501, 0.0827, 0.0355};
inline constexpr choice_model gpu_sums_large{19,
    gpu_sums_large_constants, gpu_sums_large_plans, gpu_sums_large_spread, 1.0};

inline constexpr double gpu_gathered_sums_large_constants[] = { // of 153 sets
    0.003928, 0.0, 0.002572, 0.0, 0.0003159, 0.0002359, 0.001253, 0.0, 0.0, 0.00101, 0.0, 0.0003391, 0.5329, 0.0,
      0.01153, 0.02367, 0.001167, 0.0, 0.003644, // thread_mapped
    0.004269, 0.002917, 0.001933, 0.0, 0.0001747, 0.0006207, 0.001953, 0.00602, 0.0002278, 0.0004375, 0.0009105,
      0.0, 0.2847, 0.0, 0.0007756, 0.002127, 0.02414, 0.001812, 0.0, // group_per_tile<8>
    0.004262, 0.1035, 0.0004824, 0.0003398, 0.0, 4.964e-05, 0.00086, 0.0, 0.00109, 6.158e-06, 0.002436, 0.0,
      0.1028, 0.0, 0.0, 0.0, 0.03029, 0.0, 0.0, // warp_mapped
    0.004285, 0.587, 0.0002454, 0.0, 4.646e-05, 0.0, 0.0, 0.0255, 0.0, 0.0, 0.002102, 0.0, 0.0151, 0.0, 0.0,
      3.597e-05, 0.0, 0.0, 0.0, // block_mapped
    0.01021, 0.0, 0.003621, 0.001219, 0.0, 0.003502, 0.0, 0.0, 0.0004894, 0.0001083, 0.0001163, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.005273, 0.001519, 0.01503, // streamed
    0.00777, 0.0, 0.004374, 0.003124, 0.0, 0.0, 0.001688, 2.034e-05, 0.0, 7.432e-05, 6.844e-05, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, 0.01413, // merge_path
};
inline constexpr double gpu_gathered_sums_large_plans[] = {
    0.07194, 0.00676, 0.001667, // thread_mapped
    0.03314, 0.006675, 0.0001965, // group_per_tile<8>
    0.03143, 0.002008, 0.0002074, // warp_mapped
    0.02944, 0.002534, 3.258e-05, // block_mapped
    0.03937, 0.007662, 0.0001163, // streamed
    0.04134, 0.006923, 0.0001086, // merge_path
};
inline constexpr double gpu_gathered_sums_large_spread[] = {
    0.205, 0.128, 0.0996, 0.0907, 0.2, 0.19};
inline constexpr choice_model gpu_gathered_sums_large{19,
    gpu_gathered_sums_large_constants, gpu_gathered_sums_large_plans, gpu_gathered_sums_large_spread, 1.0};

inline constexpr double gpu_wide_sums_large_constants[] = { // of 50 sets
    0.009007, 0.0, 0.003827, 0.0, 0.0, 0.0, 0.0, 0.05746, 0.0, 0.003769, 0.002462, 0.0, 1.069, 0.0, 0.06018,
      0.3497, 0.03057, 0.0, 0.0144, // thread_mapped
    0.004355, 0.1431, 0.001294, 0.0, 0.0, 0.0, 0.007791, 0.0, 0.0, 0.004226, 0.0008886, 0.0, 1.489, 0.0, 0.0,
      0.04014, 0.0, 0.0, 0.1294, // group_per_tile<8>
    0.004429, 0.5568, 0.002964, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.004795, 0.0, 0.3563, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.03374, // warp_mapped
    0.004564, 2.89, 0.0007122, 0.0, 0.0, 0.0, 0.0, 0.1442, 0.0, 0.0, 0.00544, 0.0, 0.07026, 0.0, 0.0, 0.003183,
      0.0, 0.0, 0.0, // block_mapped
    0.01882, 0.06472, 0.02321, 0.02051, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.05108, 0.0,
      0.06175, // streamed
    0.03427, 0.08183, 0.01358, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.04684, 0.0,
      0.0235, // merge_path
};
inline constexpr double gpu_wide_sums_large_plans[] = {
    0.05988, 0.02073, 0.009142, // thread_mapped
    0.02952, 0.0003504, 0.0006646, // group_per_tile<8>
    0.02894, 0.002207, 0.0, // warp_mapped
    0.02872, 0.002437, 0.0002809, // block_mapped
    0.03589, 0.002288, 0.0006167, // streamed
    0.03759, 0.0, 0.00103, // merge_path
};
inline constexpr double gpu_wide_sums_large_spread[] = {
    0.196, 0.163, 0.099, 0.106, 0.159, 0.0947};
inline constexpr choice_model gpu_wide_sums_large{19,
    gpu_wide_sums_large_constants, gpu_wide_sums_large_plans, gpu_wide_sums_large_spread, 1.0};

inline constexpr double gpu_prefixes_large_constants[] = { // of 68 sets
    0.002979, 0.0, 0.005355, 0.0, 0.0, 0.0, 0.0, 0.0, 0.001879, 0.0004879, 0.0, 0.0, 0.5199, 0.0, 0.02368,
      0.06184, 0.0, 0.0, 0.0, // thread_mapped
    0.003827, 0.02816, 0.0, 0.000474, 0.0, 0.0003221, 0.0, 0.0, 0.0008081, 0.0005477, 0.0001501, 0.002443, 0.4842,
      0.0, 0.0, 0.01987, 0.0, 0.0, 0.0, // group_per_tile<8>
    0.003818, 0.1243, 0.0, 0.0, 0.0, 0.0003403, 0.0, 0.0006929, 0.0006685, 5.95e-05, 0.002229, 0.000421, 0.1429,
      0.0, 0.0, 0.0002395, 0.00382, 0.0, 0.0, // warp_mapped
    0.004134, 0.7194, 0.0, 0.0, 0.0, 0.0, 0.002631, 0.07061, 0.0, 0.0, 0.001894, 0.0, 0.00419, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.0, // block_mapped
    0.009103, 0.0, 0.002308, 0.001801, 0.0003411, 0.001119, 0.0, 0.001424, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      8.591e-06, 0.00477, 0.0, 0.0, // streamed
    0.007236, 0.0001066, 0.004882, 0.0009829, 0.0006494, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0001417, 0.0, 0.0, 0.0,
      3.603e-05, 0.0, 0.002789, 0.0, 0.0, // merge_path
};
inline constexpr double gpu_prefixes_large_plans[] = {
    0.05663, 0.0007251, 0.001599, // thread_mapped
    0.02993, 0.00224, 0.0, // group_per_tile<8>
    0.03038, 0.002363, 0.0, // warp_mapped
    0.02956, 0.002283, 1.648e-05, // block_mapped
    0.03516, 0.002723, 3.114e-05, // streamed
    0.03747, 0.002045, 0.0001128, // merge_path
};
inline constexpr double gpu_prefixes_large_spread[] = {
    0.326, 0.0901, 0.0517, 0.103, 0.0495, 0.0408};
inline constexpr choice_model gpu_prefixes_large{19,
    gpu_prefixes_large_constants, gpu_prefixes_large_plans, gpu_prefixes_large_spread, 0.5};

inline constexpr double gpu_visits_large_constants[] = { // of 152 sets
    0.002874, 0.0, 0.00357, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0003328, 8.087e-05, 0.0, 0.0, 0.02681, 0.0, 0.0, 0.06222,
      0.003625, 0.0, 0.0, // thread_mapped
    0.003537, 0.008137, 0.0, 0.0, 0.0, 0.0, 0.0, 0.00218, 6.721e-05, 0.0, 0.0007168, 0.000448, 0.006219, 0.0, 0.0,
      0.0, 0.02349, 0.0, 0.0, // group_per_tile<8>
    0.003464, 0.134, 0.0001061, 0.0, 0.0001326, 0.0, 0.0, 0.004973, 0.0, 0.0, 0.0002887, 0.0, 0.001412, 0.0, 0.0,
      9.118e-05, 0.009978, 0.0, 0.0, // warp_mapped
    0.003445, 0.5977, 0.0, 0.0003263, 0.0002683, 0.0, 0.0, 0.002485, 0.0, 3.261e-06, 0.0, 0.0, 0.00022, 0.0, 0.0,
      0.0001579, 0.003624, 0.0, 0.0, // block_mapped
    0.00488, 0.0, 0.004159, 0.001793, 0.0, 0.0001059, 0.0, 0.0, 1.19e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.084e-06,
      0.008053, 0.0, 0.0, // streamed
    0.004602, 0.0, 0.000665, 0.002481, 0.0, 0.0007957, 0.0, 0.001578, 0.0003361, 0.0, 0.0, 8.1e-06, 0.0, 0.0,
      9.72e-05, 1.126e-05, 0.001098, 0.0, 0.0, // merge_path
};
inline constexpr double gpu_visits_large_plans[] = {
    0.05429, 0.003474, 8.019e-05, // thread_mapped
    0.02809, 0.002381, 3.506e-06, // group_per_tile<8>
    0.0282, 0.002509, 2.53e-05, // warp_mapped
    0.02821, 0.002673, 1.07e-05, // block_mapped
    0.03275, 0.002761, 2.894e-05, // streamed
    0.03469, 0.002928, 3.067e-05, // merge_path
};
inline constexpr double gpu_visits_large_spread[] = {
    0.414, 0.123, 0.0772, 0.0257, 0.0976, 0.0973};
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

} // namespace evenly::detail::choice_models
// clang-format on
