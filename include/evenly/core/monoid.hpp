// SPDX-License-Identifier: Apache-2.0
// Monoids: an associative operation together with its identity. Reductions and scans take one.
//
// Laws, for all a, b, c:  op(identity, a) = a = op(a, identity);  op(op(a, b), c) = op(a, op(b, c)).
//
// Floating-point addition is associative up to rounding only. evenly combines in a fixed order, so every run of one
// plan returns the same bits. Values are combined in order unless the monoid declares
//   static constexpr bool commutative = true;
// Threads that stride over a tile then keep one sum each. monoid_of makes a monoid of any function and its identity.
//
// Without a type, plus{} and the other monoids take the type of the values, as std::plus<> does.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The lesser and the greater of two floating-point numbers, as minimum, maximum, minimumNumber and maximumNumber of
// IEEE 754-2019: -0 is less than +0, and if one number is NaN, the result is NaN, or the other number. Each is
// associative and commutative for all values; the sign and payload of NaN have no meaning.
//
// The code has no branches. A GPU has instructions for these operations; on x86 numbers are compared, selected and
// masked in vector registers, one or as many as fit. With comparisons alone, the order of the operands would decide
// which zero or NaN is the result.

/// Bytes of the registers in which the host code of this unit compares several numbers at a time; 0: none. Units of one
/// program may differ in this, by their compiler or its flags. Code that depends on it takes it as a template
/// parameter, so that no function has two bodies.
#if defined(__GNUC__) && defined(__SSE2__) && !defined(__CUDACC__) // nvcc lacks vector registers
#if defined(__AVX__)
#define EVENLY_REGISTER_BYTES 32
#else
#define EVENLY_REGISTER_BYTES 16
#endif
#else
#define EVENLY_REGISTER_BYTES 0
#endif

namespace evenly::detail {

enum class extreme { minimum, maximum, minimum_number, maximum_number };

constexpr bool is_greater(extreme which) {
  return which == extreme::maximum || which == extreme::maximum_number;
}
/// Whether a number wins against NaN.
constexpr bool ignores_nan(extreme which) {
  return which == extreme::minimum_number || which == extreme::maximum_number;
}

/// By the definition, for any floating-point type, in constant expressions too.
template <extreme Which, std::floating_point T> EVENLY_FN constexpr T extreme_plainly(T a, T b) {
  constexpr bool greater = is_greater(Which), ignores = ignores_nan(Which);
  if (a != a) return ignores ? b : a;
  if (b != b) return ignores ? a : b;
  if (a < b || b < a) return (a < b) == greater ? b : a;
  if (a != 0) return a;
  return greater ? a + b : -(-a - b); // of two zeros: the sum is +0, unless both are -0
}

#if defined(__CUDA_ARCH__)

/// PTX orders the zeros. Its plain instructions ignore NaN; those that propagate it are for float, from sm_80 on.
template <extreme Which> __device__ inline float extreme_of_registers(float a, float b) {
  float result;
#if __CUDA_ARCH__ >= 800
  if constexpr (Which == extreme::minimum) asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  if constexpr (Which == extreme::maximum) asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  if constexpr (!ignores_nan(Which)) return result;
#endif
  if constexpr (is_greater(Which))
    asm("max.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  else
    asm("min.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return ignores_nan(Which) || (a == a && b == b) ? result : a + b;
}
template <extreme Which> __device__ inline double extreme_of_registers(double a, double b) {
  double result;
  if constexpr (is_greater(Which))
    asm("max.f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));
  else
    asm("min.f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));
  return ignores_nan(Which) || (a == a && b == b) ? result : a + b;
}
#define EVENLY_EXTREME_REGISTERS

#elif EVENLY_REGISTER_BYTES > 0

/// Numbers in a register of `Bytes` bytes.
template <class T, int Bytes> struct lanes_of_numbers {
  typedef T type __attribute__((vector_size(Bytes)));
};

/// b = the extreme of a and b, in each lane. A selection by comparison returns its second operand if both are equal or
/// one is NaN. Selections in both orders therefore differ only for two zeros, or a NaN.
template <extreme Which, class Lanes> EVENLY_INLINE_FN void extreme_of_lanes(const Lanes& a, Lanes& b) {
  using bits = decltype(a == b); // a comparison sets all bits of a lane, or none
  constexpr bool greater = is_greater(Which);
  const Lanes one = greater ? (a > b ? a : b) : (a < b ? a : b);
  if constexpr (ignores_nan(Which)) {
    const bits number = greater ? (bits)one & ((bits)a | (a != b)) : (bits)one | ((bits)a & (a == b));
    b = b != b ? a : (Lanes)number;
  } else {
    const Lanes two = greater ? (b > a ? b : a) : (b < a ? b : a);
    const bits either = (bits)one | (bits)two; // NaN if one is NaN, -0 if one is -0
    const bits signs = (bits)one & (bits)two;
    b = greater ? (Lanes)(either & (signs | ~(bits)-Lanes{})) : (Lanes)either;
  }
}

/// One number at a time. (With std::bit_cast GCC moves bits to general registers and back, and a reduce_tiles from
/// cached data took twice as long; 2026-11-22.)
template <extreme Which, class T> EVENLY_INLINE_FN T extreme_of_registers(T a, T b) {
  using lanes = typename lanes_of_numbers<T, 16>::type;
  const lanes zero{};
  lanes result = b - zero; // b in each lane: GCC fills with zeros through a general register
  extreme_of_lanes<Which>(a - zero, result);
  return result[0];
}
#define EVENLY_EXTREME_REGISTERS

#endif

/// Returns the extreme of a and b.
template <extreme Which, int RegisterBytes = EVENLY_REGISTER_BYTES, std::floating_point T>
EVENLY_INLINE_FN constexpr T extreme_of(T a, T b) {
#if defined(EVENLY_EXTREME_REGISTERS)
  if constexpr (sizeof(T) <= sizeof(double))
    if (!std::is_constant_evaluated()) return extreme_of_registers<Which>(a, b);
#endif
  return extreme_plainly<Which>(a, b);
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// monoid: see the head of this file.

namespace evenly {

/// A monoid is copied to the executor: is_device_copyable (core/annotations.hpp).
template <class M>
concept monoid = requires(const M& op, const typename M::value_type& a) {
  { op.identity() } -> std::convertible_to<typename M::value_type>;
  { op(a, a) } -> std::convertible_to<typename M::value_type>;
};

/// Whether a monoid is marked as commutative.
template <monoid Op>
inline constexpr bool is_commutative = [] {
  if constexpr (requires { Op::commutative; })
    return static_cast<bool>(Op::commutative);
  else
    return false;
}();

namespace detail {

/// The base of a monoid without a type. It converts to the monoid of any type.
template <template <class> class Op> struct any_value_type {
  template <class T> using of = Op<T>;
  template <class T> EVENLY_FN constexpr operator Op<T>() const { return {}; }
};

} // namespace detail

/// The monoid argument of an operation: a monoid, or plus<> and its kind, which take the type of the values.
template <class M>
concept monoid_argument = monoid<M> || requires { typename M::template of<double>; };

namespace detail {

/// Returns the monoid for values of type T: `op` itself, or the one that it becomes for T.
template <class T, monoid_argument Op> EVENLY_FN constexpr decltype(auto) monoid_for(const Op& op) {
  if constexpr (monoid<Op>)
    return op;
  else
    return typename Op::template of<std::remove_cvref_t<T>>{};
}
template <class Op, class T>
using monoid_type = std::remove_cvref_t<decltype(monoid_for<T>(std::declval<const Op&>()))>;

/// Whether a conversion of numbers drops fractions.
template <class From, class To>
inline constexpr bool cuts_fractions =
    std::is_floating_point_v<std::remove_cvref_t<From>> && std::is_integral_v<To>;
/// Whether a conversion drops leading bits of integers.
template <class From, class To>
inline constexpr bool cuts_bits = std::is_integral_v<std::remove_cvref_t<From>> && std::is_integral_v<To> &&
                                  sizeof(std::remove_cvref_t<From>) > sizeof(To);

/// The rules for combined values, one assertion each. A function that takes a monoid first evaluates `holds`. `Given`:
/// the type that the values are made of.
template <class Op, class Given> struct combinable {
  using T = typename Op::value_type;
  static_assert(std::is_trivially_copyable_v<T>, "values must be trivially copyable: replace std::pair, "
                                                 "std::string and similar types by your own struct");
  static_assert(std::is_default_constructible_v<T>, "values must be default-constructible");
  static_assert(alignof(T) <= 16, "values must be aligned to at most 16 bytes, as shared memory is");
  static_assert(is_device_copyable<Op>,
                "a monoid must be trivially copyable, because it is copied to the device");
  static_assert(std::is_convertible_v<Given, T>,
                "the combined values must convert to the value_type of the monoid");
  static_assert(!cuts_fractions<Given, T> && !cuts_bits<Given, T>,
                "the monoid's value_type would truncate values, as int does for float or std::int64_t: use "
                "plus<float> for floats, or convert the values");
  static constexpr bool holds = true;
};

/// Arguments without a monoid, of a call that takes one.
template <class Executor, class... Arguments>
concept without_monoid = requires { Executor::serial_blocks; } && !(monoid_argument<Arguments> || ...);

/// The error of such a call.
template <class... Arguments> struct has_monoid {
  static_assert((monoid_argument<Arguments> || ...),
                "the operation must be a monoid, such as evenly::plus<float>{}: from std::plus, a lambda or "
                "another function evenly::monoid_of(function, identity) makes one");
  static constexpr bool holds = true;
};

} // namespace detail

/// Addition; the identity is 0.
template <class T = void> struct plus {
  using value_type = T;
  static constexpr bool commutative = true;
  EVENLY_FN constexpr T identity() const { return T{}; }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return a + b; }
};

/// Multiplication; the identity is 1.
template <class T = void> struct multiplies {
  using value_type = T;
  static constexpr bool commutative = true;
  EVENLY_FN constexpr T identity() const { return T{1}; }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return a * b; }
};

/// The lesser of two values. The identity is infinity if T has one, otherwise the greatest value of T. For
/// floating-point numbers -0 is less than +0, and if one is NaN, so is the result: minimum of IEEE 754-2019.
template <class T = void> struct minimum {
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::minimum;
  EVENLY_FN constexpr T identity() const {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::max();
  }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>)
      return detail::extreme_of<which>(a, b);
    else
      return b < a ? b : a;
  }
};

/// The greater of two values. The identity is minus infinity if T has one, otherwise the least value of T.
/// Floating-point numbers are compared as in minimum.
template <class T = void> struct maximum {
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::maximum;
  EVENLY_FN constexpr T identity() const {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>)
      return detail::extreme_of<which>(a, b);
    else
      return a < b ? b : a;
  }
};

/// As minimum, but a number wins against NaN, and NaN is the identity. The result is NaN only if all values are NaN or
/// there are none. minimumNumber of IEEE 754-2019; std::fmin except for the zeros.
template <class T = void> struct minimum_number {
  static_assert(std::floating_point<T>, "minimum_number combines floating-point numbers: use minimum");
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::minimum_number;
  EVENLY_FN constexpr T identity() const { return std::numeric_limits<T>::quiet_NaN(); }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return detail::extreme_of<which>(a, b); }
};

/// As maximum, but a number wins against NaN, and NaN is the identity, as in minimum_number.
template <class T = void> struct maximum_number {
  static_assert(std::floating_point<T>, "maximum_number combines floating-point numbers: use maximum");
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::maximum_number;
  EVENLY_FN constexpr T identity() const { return std::numeric_limits<T>::quiet_NaN(); }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return detail::extreme_of<which>(a, b); }
};

template <> struct plus<void> : detail::any_value_type<plus> {};
template <> struct multiplies<void> : detail::any_value_type<multiplies> {};
template <> struct minimum<void> : detail::any_value_type<minimum> {};
template <> struct maximum<void> : detail::any_value_type<maximum> {};
template <> struct minimum_number<void> : detail::any_value_type<minimum_number> {};
template <> struct maximum_number<void> : detail::any_value_type<maximum_number> {};

/// A function as a monoid: see monoid_of.
template <class Function, class T, bool Commutative> struct function_monoid {
  static_assert(is_device_copyable<Function>,
                "the function of monoid_of must be trivially copyable, because it is copied to the device");
  static_assert(std::is_invocable_r_v<T, const Function&, const T&, const T&>,
                "the function of monoid_of(function, identity) must accept two values of the identity's type "
                "and return one");
  using result = std::remove_cvref_t<std::invoke_result_t<const Function&, const T&, const T&>>;
  static_assert(!detail::cuts_fractions<result, T> &&
                    !(detail::cuts_bits<result, T> && sizeof(result) > sizeof(int)),
                "the identity of monoid_of sets the type of the values: use 0.0f for float and "
                "std::int64_t{0} for 64-bit integers, not 0");

  using value_type = T;
  static constexpr bool commutative = Commutative;
  static constexpr bool is_copyable = is_device_copyable<T>;

  Function function;
  T of_nothing;

  EVENLY_FN constexpr T identity() const { return of_nothing; }
  EVENLY_MAY_CALL_HOST
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(function(a, b)); }
};

/// Marks a function as commutative.
struct commutative_t {};
/// An argument of monoid_of.
inline constexpr commutative_t commutative{};

/// Returns the monoid of an associative function, such as std::plus<>{} or a lambda (on cuda marked EVENLY_FN), with
/// its identity. The type of the identity is the value type. `monoid_of(f, identity, commutative)` states f(a, b) =
/// f(b, a), which may be combined faster.
template <class Function, class T>
constexpr function_monoid<Function, T, false> monoid_of(Function f, T identity) {
  return {f, identity};
}
template <class Function, class T>
constexpr function_monoid<Function, T, true> monoid_of(Function f, T identity, commutative_t) {
  return {f, identity};
}

static_assert(monoid<plus<float>> && monoid<multiplies<int>> && monoid<minimum<double>> &&
              monoid<maximum<int>> && monoid<minimum_number<float>> && monoid<maximum_number<double>>);

} // namespace evenly
