// SPDX-License-Identifier: Apache-2.0
// The parts of each shared object of peers/modules.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <variant>

#include "peers/peer.hpp"

namespace evenly::peers {

/// The peer whose operations are `Operations`: an overload of operator()(problem, threads) for each, which returns a
/// prepared_peer. `refusal(problem)`, an optional overload, returns the reason for a refusal.
template <class Operations> class peer_of final : public peer {
 public:
  explicit peer_of(std::string version) : version_(std::move(version)) {}

  std::string version() const override { return version_; }
  std::string refusal(const problem& of) const override {
    return std::visit(
        []<class Problem>(const Problem& each) -> std::string {
          if constexpr (!std::invocable<Operations, const Problem&, int>)
            return "it does not have this operation for values of this type";
          else if constexpr (requires { Operations::refusal(each); })
            return Operations::refusal(each);
          return {};
        },
        of);
  }
  prepared_peer prepare(const problem& of, int threads) const override {
    return std::visit(
        [threads]<class Problem>(const Problem& each) -> prepared_peer {
          if constexpr (std::invocable<Operations, const Problem&, int>) return Operations()(each, threads);
          return {};
        },
        of);
  }

 private:
  std::string version_;
};

/// "3.4.0" for 3, 4, 0.
inline std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

} // namespace evenly::peers

/// Defines evenly_peer() of a shared object.
#define EVENLY_PEER(Operations, version)                                                                     \
  const evenly::peers::peer* evenly_peer() {                                                                 \
    static const evenly::peers::peer_of<Operations> it(version);                                             \
    return &it;                                                                                              \
  }
