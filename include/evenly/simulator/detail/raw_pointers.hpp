// SPDX-License-Identifier: Apache-2.0
// Finds raw pointers in what a user gives simt to run: accesses by them are checked for nothing, which one line on
// standard error says, once for each type of a kernel or function object.
//
// C++ does not tell a type's members, and a lambda's captures less. So the words of the object are looked at: one that
// is an address in writable memory of the process is a pointer. Views (checked_span.hpp) keep their addresses inverted.
// What parts of the library point to that kernels hold as well (shared work, partials, tile sets, barriers) does not
// count: the last few thousand such addresses are kept. Where the user has a pointer to such an address too, the count
// is too small.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <cxxabi.h>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// The words of an object that may be addresses.
inline std::vector<std::uintptr_t> words_of(const void* object, std::size_t bytes) {
  constexpr std::size_t each = sizeof(std::uintptr_t);
  std::vector<std::uintptr_t> words(bytes / each);
  if (!words.empty()) std::memcpy(words.data(), object, words.size() * each);
  return words;
}

/// The address ranges that the process may write to, as the kernel of the system lists them; none where it does not.
inline std::vector<std::pair<std::uintptr_t, std::uintptr_t>> writable_memory() {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"),
                                                             &std::fclose);
  if (!maps) return ranges;
  char line[512];
  for (bool begins = true; std::fgets(line, sizeof line, maps.get());) {
    unsigned long first = 0, end = 0;
    char rights[5] = {};
    if (begins && std::sscanf(line, "%lx-%lx %4s", &first, &end, rights) == 3 && rights[1] == 'w')
      ranges.emplace_back(first, end);
    begins = std::strchr(line, '\n') != nullptr;
  }
  return ranges;
}

/// The addresses that parts of the library point to.
class known_pointers {
 public:
  void add(const void* part, std::size_t bytes) {
    const std::lock_guard lock(guard_);
    for (const std::uintptr_t word : words_of(part, bytes))
      if (word != 0 && known_.insert(word).second) order_.push_back(word);
    for (; order_.size() > max_known; order_.pop_front()) known_.erase(order_.front());
  }
  bool has(std::uintptr_t address) {
    const std::lock_guard lock(guard_);
    return known_.count(address) != 0;
  }

 private:
  static constexpr std::size_t max_known = 4096;
  std::mutex guard_;
  std::unordered_set<std::uintptr_t> known_;
  std::deque<std::uintptr_t> order_;
};
inline known_pointers& pointers_of_library() {
  static known_pointers known;
  return known;
}

/// How many words of the object are addresses of writable memory and not `known`.
template <class Known> int count_pointers(const void* object, std::size_t bytes, const Known& known) {
  const auto memory = writable_memory();
  int count = 0;
  for (const std::uintptr_t word : words_of(object, bytes)) {
    const auto holds = [&](const auto& range) { return range.first <= word && word < range.second; };
    count += std::any_of(memory.begin(), memory.end(), holds) && !known(word);
  }
  return count;
}

/// The name of a type, without the arguments of templates.
inline std::string short_type_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                    &std::free);
  std::string text;
  int depth = 0;
  for (const char c : std::string_view(status == 0 ? name.get() : mangled)) {
    if (c == '<' && depth++ == 0) text += "<...>";
    if (depth == 0) text += c;
    if (c == '>') --depth;
  }
  return text;
}

EVENLY_RUNTIME_FN void know_pointers(const void* part, std::size_t bytes) {
  pointers_of_library().add(part, bytes);
}

EVENLY_RUNTIME_FN void report_raw_pointers(const char* mangled, const void* object, std::size_t bytes,
                                           const void* part, std::size_t part_bytes) {
  std::string_view scope = mangled;
  while (!scope.empty() && std::string_view("ZNK").find(scope.front()) != std::string_view::npos)
    scope.remove_prefix(1);
  if (scope.starts_with("6evenly")) return; // of the library, whose kernels are tested
  const std::vector<std::uintptr_t> of_part = words_of(part, part_bytes);
  const int count = count_pointers(object, bytes, [&](std::uintptr_t word) {
    return part == nullptr ? pointers_of_library().has(word)
                           : std::find(of_part.begin(), of_part.end(), word) != of_part.end();
  });
  if (count == 0) return;
  std::fprintf(stderr,
               "evenly: simt does not check accesses by %s of %s: use views of the memory, "
               "evenly::view(exec, memory), or set simt_options::report_raw_pointers to false\n",
               count == 1 ? "a raw pointer" : (std::to_string(count) + " raw pointers").c_str(),
               short_type_name(mangled).c_str());
}

} // namespace evenly::detail
