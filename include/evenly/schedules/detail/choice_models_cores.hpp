// SPDX-License-Identifier: Apache-2.0
// Written by scripts/train_automatic.py from bench/results/choices-*.json: not to be changed by hand.
// docs/choosing.md says how models are made, and how to make others.
//
// The candidates of `automatic` on cores, compiled wherever it is used, and their models.
#pragma once

#include <tuple>

#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/detail/choice_models_of.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/schedules/two_phase.hpp"

// clang-format off
namespace evenly::detail::choice_models {

inline auto cores_candidates() {
  return std::tuple{named_schedule<thread_mapped>{"thread_mapped", {}},
                    named_schedule<direct_search<>>{"direct_search", {}},
                    named_schedule<two_phase<>>{"two_phase", {}},
                    named_schedule<streamed>{"streamed", {}},
                    named_schedule<multi_phase<>>{"multi_phase", {}},
                    named_schedule<merge_path<>>{"merge_path", {}}};
}

// Intel(R) Xeon(R) Processor, 8 threads. Constants are ms for each of: launch, tiles, atoms, root of tiles,
// root of atoms, tiles to 1e5, atoms to 1e6, tiles above 5e5, atoms above 4e6, warp steps, rounds of 32,
// rounds of 8, longest / 1e4, longest / 1e6, root of longest, heaviest block, empty, unlike neighbours,
// unlike others; where sizes are not looked at, for the first 9; for plans the first 3.

inline constexpr double cores_sums_small_constants[] = { // of 92 sets
    9.613e-06, 0.3621, 0.2217, 0.03997, 0.0, 0.02223, 0.0, 0.205, 0.0, // thread_mapped
    0.0, 0.2138, 0.08957, 0.03982, 0.01016, 0.04032, 0.0, 0.9732, 0.0, // direct_search
    0.0, 0.2299, 0.08646, 0.04081, 0.00993, 0.03786, 0.0, 0.934, 0.0, // two_phase
    0.0, 0.2418, 0.08445, 0.04099, 0.01002, 0.03564, 0.0, 0.9145, 0.0, // streamed
    0.0, 0.2506, 0.08066, 0.03976, 0.01265, 0.03563, 0.0, 0.8928, 0.0, // multi_phase
    0.0, 0.2492, 0.08171, 0.03884, 0.0116, 0.03284, 0.0, 0.8853, 0.0, // merge_path
};
inline constexpr double cores_sums_small_plans[] = {
    0.001174, 0.299, 0.002475, // thread_mapped
    0.001612, 0.2895, 0.0006829, // direct_search
    0.002352, 0.3388, 0.02367, // two_phase
    0.001497, 0.3222, 0.02375, // streamed
    0.001963, 0.7282, 0.008734, // multi_phase
    0.001535, 0.3427, 0.02731, // merge_path
};
inline constexpr double cores_sums_small_spread[] = {
    0.477, 0.397, 0.385, 0.386, 0.388, 0.373};
inline constexpr choice_model cores_sums_small{9,
    cores_sums_small_constants, cores_sums_small_plans, cores_sums_small_spread, 0.0};

inline constexpr double cores_gathered_sums_small_constants[] = { // of 131 sets
    0.0, 0.1972, 0.3673, 0.05025, 0.004202, 0.0, 0.0, 0.4799, 0.0, // thread_mapped
    0.0, 0.2616, 0.09159, 0.02822, 0.02426, 0.06435, 0.0, 0.7045, 0.0, // direct_search
    0.0, 0.2484, 0.09421, 0.02797, 0.02484, 0.06352, 0.0, 0.7315, 0.0, // two_phase
    0.0, 0.247, 0.09224, 0.02843, 0.02432, 0.06328, 0.0, 0.7533, 0.0, // streamed
    0.0, 0.2526, 0.09095, 0.02845, 0.02281, 0.06294, 0.0, 0.7093, 0.0, // multi_phase
    0.0, 0.268, 0.09123, 0.02771, 0.02311, 0.05322, 0.0, 0.7027, 0.0, // merge_path
};
inline constexpr double cores_gathered_sums_small_plans[] = {
    0.001396, 0.2371, 0.005675, // thread_mapped
    0.001638, 0.2401, 0.003109, // direct_search
    0.002746, 0.2626, 0.0293, // two_phase
    0.001773, 0.2908, 0.02374, // streamed
    0.002118, 0.6679, 0.009522, // multi_phase
    0.001617, 0.2527, 0.03282, // merge_path
};
inline constexpr double cores_gathered_sums_small_spread[] = {
    0.482, 0.358, 0.354, 0.348, 0.352, 0.343};
inline constexpr choice_model cores_gathered_sums_small{9,
    cores_gathered_sums_small_constants, cores_gathered_sums_small_plans, cores_gathered_sums_small_spread, 0.25};

inline constexpr double cores_wide_sums_small_constants[] = { // of 92 sets
    0.0, 0.3956, 1.821, 0.1799, 0.02578, 0.1519, 0.0, 7.284, 0.0, // thread_mapped
    0.0, 1.923, 0.3453, 0.1172, 0.07147, 0.2209, 0.0, 5.878, 0.0, // direct_search
    0.0, 1.879, 0.3384, 0.1255, 0.06722, 0.2233, 0.0, 6.021, 0.0, // two_phase
    0.0, 1.751, 0.3242, 0.1189, 0.0671, 0.2338, 0.0, 6.194, 0.0, // streamed
    0.0, 1.857, 0.3117, 0.1165, 0.0681, 0.2285, 0.0, 6.151, 0.0, // multi_phase
    0.0, 2.05, 0.3298, 0.1058, 0.0691, 0.1582, 0.0, 5.393, 0.0, // merge_path
};
inline constexpr double cores_wide_sums_small_plans[] = {
    0.001265, 0.2971, 0.00646, // thread_mapped
    0.001817, 0.2906, 0.006397, // direct_search
    0.002511, 0.3738, 0.02831, // two_phase
    0.001489, 0.3995, 0.02078, // streamed
    0.001831, 0.8134, 0.01031, // multi_phase
    0.001485, 0.3876, 0.03082, // merge_path
};
inline constexpr double cores_wide_sums_small_spread[] = {
    0.438, 0.297, 0.296, 0.286, 0.288, 0.263};
inline constexpr choice_model cores_wide_sums_small{9,
    cores_wide_sums_small_constants, cores_wide_sums_small_plans, cores_wide_sums_small_spread, 1.0};

inline constexpr double cores_prefixes_small_constants[] = { // of 92 sets
    0.0, 0.05227, 0.3692, 0.02091, 0.007082, 0.0, 0.0, 0.7285, 0.0, // thread_mapped
    0.0, 0.3042, 0.1833, 0.01514, 0.01901, 0.01627, 0.0, 0.459, 0.0, // direct_search
    0.0, 0.3801, 0.1752, 0.01579, 0.01951, 0.01127, 0.0, 0.5789, 0.0, // two_phase
    0.0, 0.3413, 0.1791, 0.006082, 0.02206, 0.003349, 0.0, 0.4612, 0.0, // streamed
    0.0, 0.3403, 0.1811, 0.006081, 0.02174, 0.002849, 0.0, 0.4224, 0.0, // multi_phase
    0.0, 0.2725, 0.1827, 0.004593, 0.02107, 0.01318, 0.0, 0.3776, 0.0, // merge_path
};
inline constexpr double cores_prefixes_small_plans[] = {
    0.0009587, 0.2773, 0.006003, // thread_mapped
    0.001222, 0.2715, 0.006594, // direct_search
    0.002114, 0.3079, 0.03181, // two_phase
    0.001295, 0.2807, 0.03688, // streamed
    0.001549, 0.736, 0.01324, // multi_phase
    0.001226, 0.3337, 0.02788, // merge_path
};
inline constexpr double cores_prefixes_small_spread[] = {
    0.446, 0.361, 0.366, 0.387, 0.387, 0.368};
inline constexpr choice_model cores_prefixes_small{9,
    cores_prefixes_small_constants, cores_prefixes_small_plans, cores_prefixes_small_spread, 0.25};

inline constexpr double cores_visits_small_constants[] = { // of 131 sets
    3.081e-05, 0.0001311, 0.1031, 0.02545, 0.0, 0.06376, 0.0, 0.5909, 0.0, // thread_mapped
    0.0, 0.1959, 0.08058, 0.01505, 0.009968, 0.04143, 0.0, 0.308, 0.0, // direct_search
    0.0, 0.1952, 0.08088, 0.0195, 0.008919, 0.03924, 0.0, 0.2979, 0.0, // two_phase
    0.0, 0.2027, 0.0786, 0.01875, 0.009277, 0.0396, 0.0, 0.2895, 0.0, // streamed
    0.0, 0.2045, 0.07884, 0.01829, 0.009634, 0.03868, 0.0, 0.3058, 0.0, // multi_phase
    0.0, 0.1725, 0.07722, 0.02029, 0.01002, 0.03674, 0.0, 0.3294, 0.0, // merge_path
};
inline constexpr double cores_visits_small_plans[] = {
    0.001333, 0.2267, 0.006034, // thread_mapped
    0.001638, 0.2279, 0.004593, // direct_search
    0.002603, 0.2519, 0.02836, // two_phase
    0.001724, 0.2385, 0.02553, // streamed
    0.002105, 0.6574, 0.006703, // multi_phase
    0.001523, 0.2472, 0.03063, // merge_path
};
inline constexpr double cores_visits_small_spread[] = {
    0.522, 0.463, 0.464, 0.462, 0.462, 0.454};
inline constexpr choice_model cores_visits_small{9,
    cores_visits_small_constants, cores_visits_small_plans, cores_visits_small_spread, 0.0};

inline constexpr double cores_sums_large_constants[] = { // of 159 sets
    0.0, 0.0, 0.02025, 0.1079, 0.0, 0.0, 0.08473, 0.2684, 0.000647, 0.0002436, 5.552e-05, 0.02154, 0.0, 0.0, 0.0,
      0.0128, 0.0, 0.0, 2.253, // thread_mapped
    0.003659, 0.2636, 0.03973, 0.06832, 0.0, 0.0, 0.01834, 0.106, 0.002935, 0.00108, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.1473, 0.007073, 1.248, // direct_search
    0.003531, 0.2703, 0.03929, 0.06528, 0.0, 0.0, 0.01871, 0.09735, 0.002431, 0.0009929, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.1509, 0.01979, 1.184, // two_phase
    0.003632, 0.2779, 0.03942, 0.06162, 0.0, 0.0, 0.01731, 0.08351, 0.001731, 0.0009698, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.1522, 0.01239, 1.203, // streamed
    0.00372, 0.2758, 0.03954, 0.06553, 0.0, 0.0, 0.01708, 0.09311, 0.001585, 0.001054, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.1538, 0.0, 1.256, // multi_phase
    0.003543, 0.2783, 0.037, 0.05458, 0.001567, 0.0, 0.01819, 0.08695, 0.0037, 0.001024, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.1411, 0.001303, 1.263, // merge_path
};
inline constexpr double cores_sums_large_plans[] = {
    0.00171, 0.1844, 0.0001362, // thread_mapped
    0.002024, 0.1781, 0.000191, // direct_search
    0.003889, 0.1866, 0.001941, // two_phase
    0.00325, 0.1906, 0.001773, // streamed
    0.002882, 0.3527, 0.0005884, // multi_phase
    0.003189, 0.1941, 0.001499, // merge_path
};
inline constexpr double cores_sums_large_spread[] = {
    0.359, 0.242, 0.244, 0.245, 0.245, 0.234};
inline constexpr choice_model cores_sums_large{19,
    cores_sums_large_constants, cores_sums_large_plans, cores_sums_large_spread, 0.0};

inline constexpr double cores_gathered_sums_large_constants[] = { // of 241 sets
    0.0, 0.0, 0.1019, 0.09951, 0.02005, 0.0, 0.08855, 0.6244, 0.03534, 0.002097, 0.0, 0.0, 0.0, 0.0, 0.0001415,
      0.02246, 0.0, 0.0, 1.899, // thread_mapped
    0.00461, 0.2273, 0.08188, 0.05752, 0.0, 0.002546, 0.005917, 0.4906, 0.04453, 0.002357, 0.00412, 0.0, 0.0, 0.0,
      0.0001811, 0.0, 0.0, 0.0, 1.584, // direct_search
    0.004886, 0.279, 0.0824, 0.05439, 0.0, 0.002009, 0.009256, 0.4809, 0.04812, 0.002133, 0.00262, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, 1.547, // two_phase
    0.004776, 0.2974, 0.08182, 0.04871, 0.0, 0.004569, 0.009539, 0.482, 0.04812, 0.002075, 0.002165, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, 0.0, 1.519, // streamed
    0.004364, 0.2326, 0.0799, 0.05385, 0.0, 0.0041, 0.007475, 0.5022, 0.04604, 0.00227, 0.003555, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, 1.58, // multi_phase
    0.004729, 0.2178, 0.07402, 0.02985, 0.0, 0.00757, 0.0158, 0.4982, 0.04907, 0.002101, 0.004155, 0.0, 0.0, 0.0,
      0.0, 0.0, 0.0, 0.0, 1.595, // merge_path
};
inline constexpr double cores_gathered_sums_large_plans[] = {
    0.002041, 0.1576, 0.0003442, // thread_mapped
    0.002267, 0.1514, 0.0002126, // direct_search
    0.004554, 0.1591, 0.002293, // two_phase
    0.0031, 0.1771, 0.001883, // streamed
    0.003165, 0.2796, 0.0008497, // multi_phase
    0.003277, 0.1579, 0.001618, // merge_path
};
inline constexpr double cores_gathered_sums_large_spread[] = {
    0.42, 0.314, 0.316, 0.317, 0.316, 0.311};
inline constexpr choice_model cores_gathered_sums_large{19,
    cores_gathered_sums_large_constants, cores_gathered_sums_large_plans, cores_gathered_sums_large_spread, 0.25};

inline constexpr double cores_wide_sums_large_constants[] = { // of 116 sets
    0.0, 0.0, 0.8793, 0.7489, 0.08077, 0.0, 0.2109, 5.624, 0.0, 0.0, 0.0, 0.0, 0.03224, 0.0, 0.0, 0.1013, 0.1457,
      0.0, 1.694, // thread_mapped
    0.009293, 2.674, 0.4599, 0.2357, 0.0, 0.0, 0.0, 3.337, 0.0, 0.0, 0.0, 0.0, 0.01079, 0.0, 0.0, 0.0, 0.0, 0.0,
      2.287, // direct_search
    0.008524, 2.695, 0.4523, 0.233, 0.0, 0.0, 0.0, 3.305, 0.0, 0.0, 0.0, 0.0, 0.01016, 0.0, 0.0, 0.0, 0.0, 0.0,
      2.367, // two_phase
    0.008082, 2.704, 0.4456, 0.2199, 0.0, 0.0, 0.0, 3.424, 0.0, 0.0, 0.0, 0.0, 0.009777, 0.0, 0.0, 0.0, 0.0, 0.0,
      2.313, // streamed
    0.007831, 2.727, 0.4404, 0.2238, 0.0, 0.0, 0.0, 3.41, 0.0, 0.0, 0.0, 0.0, 0.009542, 0.0, 0.0, 0.0, 0.0, 0.0,
      2.326, // multi_phase
    0.01033, 2.807, 0.4525, 0.08905, 0.0, 0.0, 0.0, 3.242, 0.0, 0.0, 0.0, 0.0, 0.0102, 0.0, 0.0, 0.0, 0.0, 0.0,
      2.637, // merge_path
};
inline constexpr double cores_wide_sums_large_plans[] = {
    0.001722, 0.2475, 0.001156, // thread_mapped
    0.00252, 0.2426, 0.001134, // direct_search
    0.003545, 0.2851, 0.009411, // two_phase
    0.002447, 0.3008, 0.006407, // streamed
    0.00211, 0.6085, 0.004867, // multi_phase
    0.002647, 0.2892, 0.007122, // merge_path
};
inline constexpr double cores_wide_sums_large_spread[] = {
    0.334, 0.227, 0.236, 0.234, 0.239, 0.219};
inline constexpr choice_model cores_wide_sums_large{19,
    cores_wide_sums_large_constants, cores_wide_sums_large_plans, cores_wide_sums_large_spread, 0.25};

inline constexpr double cores_prefixes_large_constants[] = { // of 159 sets
    0.0, 0.0, 0.0919, 0.04099, 0.02151, 0.0, 0.09178, 0.1008, 0.001067, 0.0004748, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.04188, 0.0, 0.0, 2.031, // thread_mapped
    0.005253, 0.1348, 0.1091, 0.02713, 0.0, 0.0, 0.02567, 0.001684, 0.0, 0.000317, 0.0, 0.00842, 0.0, 0.0, 0.0,
      0.002449, 0.0156, 0.0, 2.114, // direct_search
    0.005122, 0.0511, 0.1015, 0.0319, 0.0, 0.0, 0.0201, 0.0, 0.0, 0.0002527, 0.0, 0.01942, 0.0, 0.0, 0.0,
      0.002043, 0.2291, 0.01619, 2.11, // two_phase
    0.005612, 0.08674, 0.1155, 0.02008, 0.0, 0.0, 0.0205, 0.01122, 0.0, 0.000146, 0.0, 0.004819, 0.0, 0.0, 0.0,
      0.00162, 0.09222, 0.001062, 2.126, // streamed
    0.005455, 0.08946, 0.1163, 0.01989, 0.0, 0.0, 0.02288, 0.009983, 0.0, 0.0002208, 0.0, 0.003678, 0.0, 0.0, 0.0,
      0.001693, 0.07867, 0.0, 2.141, // multi_phase
    0.005407, 0.07017, 0.1123, 0.01262, 0.0, 0.002312, 0.02704, 0.0, 0.0, 0.0, 0.001195, 0.004555, 0.0, 0.0, 0.0,
      0.001337, 0.0, 0.0, 2.086, // merge_path
};
inline constexpr double cores_prefixes_large_plans[] = {
    0.001726, 0.1903, 0.0003588, // thread_mapped
    0.002137, 0.1883, 0.0002295, // direct_search
    0.004092, 0.2035, 0.002007, // two_phase
    0.002826, 0.2037, 0.001855, // streamed
    0.002536, 0.3906, 0.0009401, // multi_phase
    0.002934, 0.1945, 0.002021, // merge_path
};
inline constexpr double cores_prefixes_large_spread[] = {
    0.358, 0.139, 0.139, 0.129, 0.131, 0.137};
inline constexpr choice_model cores_prefixes_large{19,
    cores_prefixes_large_constants, cores_prefixes_large_plans, cores_prefixes_large_spread, 0.25};

inline constexpr double cores_visits_large_constants[] = { // of 240 sets
    0.0, 0.0, 0.02772, 0.05142, 0.0, 0.0, 0.05293, 0.1309, 0.0, 0.0, 0.004198, 0.0, 0.0001199, 0.0, 0.0, 0.00318,
      0.0, 0.01302, 1.987, // thread_mapped
    0.003966, 0.0, 0.02137, 0.02945, 0.0, 0.0, 0.03465, 0.1208, 0.0, 0.0, 0.006418, 0.0, 0.0, 0.0, 0.0, 9.308e-05,
      0.0, 0.03329, 1.736, // direct_search
    0.004017, 0.0, 0.02131, 0.02789, 0.0, 0.0, 0.03379, 0.1154, 0.0, 0.0, 0.006622, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.03653, 1.721, // two_phase
    0.004023, 0.0, 0.02112, 0.02685, 0.0, 0.0, 0.03361, 0.1106, 0.0, 0.0, 0.006799, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.03919, 1.717, // streamed
    0.00408, 0.0, 0.02106, 0.02633, 0.0, 0.0, 0.03406, 0.1147, 0.0, 0.0, 0.006681, 0.0001464, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.04115, 1.715, // multi_phase
    0.004124, 0.0, 0.02074, 0.01823, 0.0, 0.0002772, 0.03452, 0.1184, 0.0, 0.0, 0.00672, 0.0, 0.0, 0.0, 0.0, 0.0,
      0.0, 0.02785, 1.754, // merge_path
};
inline constexpr double cores_visits_large_plans[] = {
    0.002118, 0.1546, 0.0004321, // thread_mapped
    0.002331, 0.1515, 0.0004444, // direct_search
    0.004398, 0.165, 0.002045, // two_phase
    0.003121, 0.1662, 0.001892, // streamed
    0.002957, 0.3039, 0.001059, // multi_phase
    0.003265, 0.1583, 0.002065, // merge_path
};
inline constexpr double cores_visits_large_spread[] = {
    0.387, 0.2, 0.2, 0.2, 0.201, 0.192};
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

} // namespace evenly::detail::choice_models
// clang-format on
