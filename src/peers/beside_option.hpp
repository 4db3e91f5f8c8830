// SPDX-License-Identifier: Apache-2.0
// The option --beside.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/shared_options.hpp"
#include "measure/text.hpp"
#include "peers/peers.hpp"

namespace evenly::peers {

inline cli::option& add_beside(cli::command& to, std::vector<std::string>& chosen,
                               std::initializer_list<operation> operations) {
  const std::vector<std::string> known = peer_names(operations);
  return to
      .add(
          "--beside PEER,...",
          [&chosen, known](const std::string& list) {
            chosen = cli::parse_names("--beside", list);
            for (const std::string& name : chosen) cli::place_of(known, "a peer", name);
          },
          "also time other libraries, if they are built: " + measure::joined(known))
      .completes(known);
}

} // namespace evenly::peers
