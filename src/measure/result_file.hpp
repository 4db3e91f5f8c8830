// SPDX-License-Identifier: Apache-2.0
// The results of a command that measures several inputs. Finished measurements are kept even if the command is
// interrupted.
//
// The file has the members of a head, `results` (or another list), and `failed`: an object {"input", "error"} per
// unfinished input. It is written once: at the end, when an exception ends the command, or on Ctrl-C, SIGTERM and
// SIGHUP. Files derived from the results are written with it.
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

/// Some inputs failed. The results of the others are kept.
class inputs_failed : public error {
 public:
  explicit inputs_failed(std::vector<failed_input> which);
  std::vector<failed_input> inputs; ///< at least one
};

class result_file {
 public:
  /// Called when the file is written, on any thread, so data that it reads must be guarded.
  using object_maker = std::function<json::value()>;
  using text_maker = std::function<std::string()>;

  /// `path`: a file, `-` for standard output, empty for none; checked here. `list`: the name of the list of results.
  /// Throws host::output_error.
  result_file(std::string path, object_maker head, std::string list = "results");
  /// Writes the file unless finish() was called. Does not throw: write errors go to standard error.
  ~result_file();

  /// Adds another file with a path as above. `text` is called when the results are written. Call before measuring.
  void accompany(std::string path, text_maker text);
  /// The same for text that is made from the JSON of the results.
  using page_maker = std::function<std::string(const json::value&)>;
  void accompany_with_results(std::string path, page_maker page);

  /// Announces the inputs, so that inputs after an early end are marked as failed. Optional. Before this or the first
  /// begin(), an early end does not change files.
  void expect(std::vector<std::string> inputs);

  /// Begins `input` and calls work(). If work() throws, marks the input as failed and returns the reason. Exceptions
  /// that concern all inputs are rethrown: usage_error, output_error, and exceptions other than evenly::error and
  /// bad_alloc.
  std::optional<std::string> measure(const std::string& input, const std::function<void()>& work);

  /// The parts of measure(), for another order. An input ends at the next begin() or at finish().
  void begin(std::string input);
  void add(json::value result); ///< on any thread
  void failed(const std::string& input, const std::string& error);

  /// Writes the file. Throws host::output_error, and inputs_failed if inputs failed.
  void finish();

 private:
  struct output {
    std::string path;
    text_maker text;
    bool begun = false; ///< the main thread is writing it or has written it
  };

  json::value contents();
  bool end_all(const std::string& why);
  void end_current();
  void write_all(bool interrupted);
  bool may_write(output& each, bool interrupted);

  object_maker head_;
  std::string list_;
  std::mutex mutex_; ///< guards the members below
  json::value results_ = json::array();
  std::vector<failed_input> failed_;
  std::optional<std::string> current_;
  std::vector<std::string> expected_;
  std::list<output> outputs_; ///< references stay valid
  std::string reason_ = "the command ended early";
  bool has_begun_ = false;
  bool finished_ = false;
  host::at_interruption on_interruption_; ///< last: it uses the other members
};

} // namespace evenly::measure
