// SPDX-License-Identifier: Apache-2.0
// The results of a command that measures several inputs: whatever ends it, what was measured is kept.
//
// The file holds the members of a head, `results` (or another list), and `failed`: an object {"input", "error"} for
// each input that was not measured, or not to its end. It is written once, when all is done, when an exception ends the
// command, or on Ctrl-C, SIGTERM and SIGHUP; other files that are made of the results are written with it.
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "host/interruption.hpp"
#include "json/value.hpp"

namespace evenly::measure {

struct failed_input {
  std::string input;
  std::string error;
};

/// Some inputs were not measured. The results of the others are kept.
class inputs_failed : public error {
 public:
  explicit inputs_failed(std::vector<failed_input> which);
  std::vector<failed_input> inputs; ///< one or more
};

class result_file {
 public:
  /// Called when the file is written, on whichever thread: what it reads must be guarded.
  using object_maker = std::function<json::value()>;
  using text_maker = std::function<std::string()>;

  /// `path`: a file, `-` for standard output, empty for none; it is checked here. `list`: what the list of results is
  /// called. Throws host::output_error.
  result_file(std::string path, object_maker head, std::string list = "results");
  /// Writes, unless finish() was called. Cannot throw: a failure to write goes to standard error.
  ~result_file();

  /// Another file, as `path` above, whose text is made and written with the results. Call before anything is measured.
  void accompany(std::string path, text_maker text);
  /// The same of a text that is made of what the results' own file holds.
  using page_maker = std::function<std::string(const json::value&)>;
  void accompany_with_results(std::string path, page_maker page);

  /// What will be measured: inputs that the command ends before are failed as well. May be left out. Before this or the
  /// first begin(), a command that ends early leaves files as they are.
  void expect(std::vector<std::string> inputs);

  /// Begins `input`, calls work(), and makes the input failed if that throws. Returns, unless the exception
  /// concerns all inputs: a usage_error, an output_error and what is no evenly::error or bad_alloc end the
  /// command. Returns why the input failed.
  std::optional<std::string> measure(const std::string& input, const std::function<void()>& work);

  /// The parts of measure(), for who has another order. An input ends where the next begins, or at finish().
  void begin(std::string input);
  void add(json::value result); ///< on any thread
  void failed(const std::string& input, const std::string& error);

  /// Writes. Throws host::output_error, and inputs_failed if there are any.
  void finish();

 private:
  struct output {
    std::string path;
    text_maker text;
    bool begun = false; ///< whether the main thread writes it, or has written it
  };

  json::value contents();
  bool end_all(const std::string& why);
  void end_current();
  void write_all(bool interrupted);
  bool may_write(output& each, bool interrupted);

  object_maker head_;
  std::string list_;
  std::mutex mutex_; ///< guards what follows
  json::value results_ = json::array();
  std::vector<failed_input> failed_;
  std::optional<std::string> current_;
  std::vector<std::string> expected_;
  std::list<output> outputs_; ///< references stay
  std::string reason_ = "the command ended early";
  bool has_begun_ = false;
  bool finished_ = false;
  host::at_interruption on_interruption_; ///< last: what it writes is there before and after it
};

} // namespace evenly::measure
