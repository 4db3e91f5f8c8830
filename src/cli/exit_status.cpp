// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_status.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

using measure::one_line, measure::usage_error;

std::span<const exit_status> exit_statuses() {
  static constexpr exit_status all[] = {
      {"0", "the work is done, and every result is correct"},
      {"1", "a file, memory or device error, or a wrong result; standard error has the reason"},
      {"2", "an error in the command line, a generator or the value of an option; nothing was done"},
      {"128 + N", "signal N ended the program, as shells report it: 130 after Ctrl-C, 143 after kill"}};
  return all;
}

std::string help_on_exit_statuses() {
  constexpr std::size_t column = 9;
  std::string text = "Exit status:\n";
  for (const exit_status& each : exit_statuses())
    text.append("  ")
        .append(each.status)
        .append(column - each.status.size(), ' ')
        .append(each.meaning)
        .append("\n");
  return text;
}

int report(std::string message, int status) {
  std::fputs(("evenly: " + one_line(std::move(message)) + '\n').c_str(), stderr);
  return status;
}

int guarded(const std::function<int()>& work) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return work();
  } catch (const host::broken_pipe&) {
    std::signal(SIGPIPE, SIG_DFL); // silent, with the status that shells expect
    std::raise(SIGPIPE);
    return 1;
  } catch (const usage_error& e) {
    return report(e.what(), 2);
  } catch (const host::spec_error& e) {
    return report(e.what(), 2);
  } catch (const std::bad_alloc&) {
    return report("out of memory", 1);
  } catch (const std::exception& e) {
    return report(e.what(), 1);
  }
}

} // namespace evenly::cli
