// SPDX-License-Identifier: Apache-2.0
#include "measure/result_file.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::measure {
namespace {

std::string describe(const std::vector<failed_input>& inputs) {
  std::string text;
  for (const failed_input& each : inputs) text += (text.empty() ? "" : "; ") + each.error;
  return text;
}

} // namespace

inputs_failed::inputs_failed(std::vector<failed_input> which)
    : error(describe(which)), inputs(std::move(which)) {}

result_file::result_file(std::string path, object_maker head, std::string list)
    : head_(std::move(head)), list_(std::move(list)), on_interruption_([this](std::string_view signal) {
        if (end_all(fmt::format("interrupted by {}", signal))) write_all(true);
      }) {
  accompany(std::move(path), [this] { return json::dump(contents()); });
}

result_file::~result_file() {
  if (finished_ || !end_all(reason_)) return;
  try {
    write_all(false);
  } catch (const std::exception& e) {
    std::fputs(fmt::format("evenly: {}\n", one_line(e.what())).c_str(), stderr);
  }
}

void result_file::accompany(std::string path, text_maker text) {
  if (path.empty()) return;
  io::check_output(path);
  const std::lock_guard lock(mutex_);
  outputs_.push_back({std::move(path), std::move(text)});
}

void result_file::accompany_with_results(std::string path, page_maker page) {
  accompany(std::move(path), [this, page = std::move(page)] { return page(contents()); });
}

void result_file::expect(std::vector<std::string> inputs) {
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  expected_ = std::move(inputs);
}

std::optional<std::string> result_file::measure(const std::string& input, const std::function<void()>& work) {
  begin(input);
  const auto end_command = [this](const std::exception& e) { reason_ = e.what(); };
  std::string why = "out of memory";
  try {
    work();
    end_current();
    return {};
  } catch (const usage_error& e) {
    end_command(e);
    throw;
  } catch (const host::output_error& e) {
    end_command(e);
    throw;
  } catch (const error& e) {
    why = e.what();
  } catch (const std::bad_alloc&) { // whose message says less
  } catch (const std::exception& e) {
    end_command(e);
    throw;
  }
  failed(input, why);
  return why;
}

void result_file::begin(std::string input) {
  const std::lock_guard lock(mutex_);
  if (const auto known = std::ranges::find(expected_, input); known != expected_.end())
    expected_.erase(known);
  has_begun_ = true;
  current_ = std::move(input);
}

void result_file::end_current() {
  const std::lock_guard lock(mutex_);
  current_.reset();
}

void result_file::add(json::value result) {
  const std::lock_guard lock(mutex_);
  results_.push_back(std::move(result));
}

void result_file::failed(const std::string& input, const std::string& error) {
  const std::lock_guard lock(mutex_);
  if (current_ == input) current_.reset();
  failed_.push_back({input, error});
}

void result_file::finish() {
  finished_ = true;
  end_current();
  write_all(false);
  const std::lock_guard lock(mutex_);
  if (!failed_.empty()) throw inputs_failed(failed_);
}

/// Marks all unfinished inputs as failed. Returns false if no input was expected yet.
bool result_file::end_all(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (current_) failed_.push_back({*current_, why});
  for (const std::string& each : expected_) failed_.push_back({each, "not begun: " + why});
  current_.reset();
  expected_.clear();
  return has_begun_;
}

json::value result_file::contents() {
  json::value object = head_();
  const std::lock_guard lock(mutex_);
  object[list_] = results_;
  auto& list = object["failed"] = json::array();
  for (const failed_input& each : failed_) list.push_back({{"input", each.input}, {"error", each.error}});
  return object;
}

/// Whether to write now. Output that the main thread has begun to write to a pipe cannot be written again.
bool result_file::may_write(output& each, bool interrupted) {
  const std::lock_guard lock(mutex_);
  if (!interrupted) each.begun = true;
  return !interrupted || !each.begun || io::overwrites(each.path);
}

/// A failed output does not stop the others.
void result_file::write_all(bool interrupted) {
  std::exception_ptr first;
  for (output& each : outputs_) try {
      if (may_write(each, interrupted)) io::write_output(each.path, each.text());
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

} // namespace evenly::measure
