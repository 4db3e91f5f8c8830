// SPDX-License-Identifier: Apache-2.0
// The code that may be abandoned in the middle: code of the kernel, as far as it is known to hold no lock of a library.
//
// malloc, the dynamic loader, the unwinder and std::cout lock data that the whole process shares. A jump out of one of
// them never frees the lock. All of them are in other objects than the kernel, unless the program is linked statically
// or has its own allocator. So code of the kernel's object may be abandoned if malloc is not in that object.
#pragma once

#include <cstdint>

#include <dlfcn.h>
#include <link.h>

#include "evenly/simulator/detail/context.hpp"

namespace evenly::detail {

/// The machine code of a program or shared library: [begin, end).
struct code_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }

  /// Returns the code around `address`; empty if there is none.
  static code_range around(std::uintptr_t address) {
    struct {
      std::uintptr_t address;
      code_range found;
    } search{address, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* data) {
          auto& wanted = *static_cast<decltype(search)*>(data);
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto& segment = object->dlpi_phdr[i];
            const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
            const code_range code{begin, begin + segment.p_memsz};
            if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !code.holds(wanted.address))
              continue;
            wanted.found = code;
            return 1;
          }
          return 0;
        },
        &search);
    return search.found;
  }
};

/// The code that may be abandoned when a kernel overflows its stack.
class leavable_code {
 public:
  /// Finds the code of the kernel. Cheap if it is the same as that of the kernel before.
  void learn(std::uintptr_t kernel) {
    if (known_.holds(kernel)) return;
    known_ = code_range::around(kernel);
    const auto allocator = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "malloc"));
#if defined(EVENLY_THREAD_SANITIZER) // each function calls its runtime, which has malloc too
    runtime_ = code_range::around(allocator);
#elif !defined(EVENLY_ADDRESS_SANITIZER) // whose runtime may be a part of the program
    allocates_ = allocator == 0 || known_.holds(allocator);
#else
    static_cast<void>(allocator);
#endif
  }
  bool holds(std::uintptr_t address) const {
    return !allocates_ && (known_.holds(address) || runtime_.holds(address));
  }

 private:
  code_range known_;
  code_range runtime_;
  bool allocates_ = false;
};

} // namespace evenly::detail
