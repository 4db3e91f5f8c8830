// SPDX-License-Identifier: Apache-2.0
// Finds raw pointers in the user's kernels and function objects on simt. Accesses by raw pointers are not checked; one
// line on standard error reports this, once for each type.
//
// C++ cannot list the members of a type, nor the captures of a lambda. Therefore the words of the object are examined:
// a word that is an address in writable memory of the process is a pointer. Views (checked_span.hpp) store their
// addresses inverted. Pointers in parts of the library that kernels also hold (shared work, partials, tile sets,
// barriers) do not count: the last few thousand such addresses are kept. If the user holds a pointer to such an address
// too, the count is too small.
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

/// Returns the words of an object that may be addresses.
inline std::vector<std::uintptr_t> words_of(const void* object, std::size_t bytes) {
  constexpr std::size_t each = sizeof(std::uintptr_t);
  std::vector<std::uintptr_t> words(bytes / each);
  if (!words.empty()) std::memcpy(words.data(), object, words.size() * each);
  return words;
}

/// Returns the address ranges that the process may write to, as the operating system lists them; none if it does not.
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

/// Returns the number of words of the object that are addresses of writable memory and not `known`.
template <class Known> int count_pointers(const void* object, std::size_t bytes, const Known& known) {
  const auto memory = writable_memory();
  int count = 0;
  for (const std::uintptr_t word : words_of(object, bytes)) {
    const auto holds = [&](const auto& range) { return range.first <= word && word < range.second; };
    count += std::any_of(memory.begin(), memory.end(), holds) && !known(word);
  }
  return count;
}

/// Returns the name of a type, without template arguments.
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
  if (scope.starts_with("6evenly")) return; // kernels of the library are tested
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
