// SPDX-License-Identifier: Apache-2.0
// Overwriting a file. Tests that need a user without privileges are in tests/cli/outputs_test.py.
#include "io/output_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/errors.hpp"
#include "host/interruption.hpp"
#include "io/byte_source.hpp"
#include "io/coding.hpp"
#include "io/endings.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

namespace fs = std::filesystem;

class outputs : public io_test {
 protected:
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
  }
  static struct stat status_of(const fs::path& path) {
    struct stat found{};
    EXPECT_EQ(::stat(path.c_str(), &found), 0);
    return found;
  }
};

TEST_F(outputs, permissions_stay) {
  for (const mode_t mode : {0600, 0640, 0755, 0666}) {
    const auto path = file("y", "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    write_output(path, "new");
    EXPECT_EQ(status_of(path).st_mode & 07777, mode);
    EXPECT_EQ(content_of(path), "new");
  }
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(outputs, owner_and_group_stay) {
  const auto path = file("y", "old");
  const bool is_root = ::geteuid() == 0;
  if (is_root) { // others cannot give a file away
    ASSERT_EQ(::chown(path.c_str(), 12345, 54321), 0);
  }
  const struct stat before = status_of(path);
  write_output(path, "new");
  EXPECT_EQ(status_of(path).st_uid, before.st_uid);
  EXPECT_EQ(status_of(path).st_gid, before.st_gid);
  EXPECT_EQ(content_of(path), "new");
}

TEST_F(outputs, a_new_file_has_usual_permissions) {
  const mode_t before = ::umask(027);
  write_output(folder / "y", "new");
  ::umask(before);
  EXPECT_EQ(status_of(folder / "y").st_mode & 07777, 0640u);
}

TEST_F(outputs, hard_links_stay) {
  for (const std::string text : {"", "shorter", "longer than what was there before"}) {
    const auto path = file("y", "what was there before");
    fs::remove(folder / "link");
    fs::create_hard_link(path, folder / "link");
    write_output(path, text);
    EXPECT_EQ(content_of(folder / "link"), text);
    EXPECT_EQ(status_of(path).st_ino, status_of(folder / "link").st_ino);
    EXPECT_EQ(files_in_folder(), 2u);
  }
}

/// Has the system calls of this process that reserve space fail, as some file systems do. False where that cannot be.
bool forbid_reservations() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_F(outputs, hard_links_stay_where_space_cannot_be_reserved) {
  constexpr int skipped = 77;
  const auto path = file("y", std::string(5000, 'o'));
  const std::string text(9000, 'n');
  fs::create_hard_link(path, folder / "link");
  const int status = status_in_child([&] {
    if (!forbid_reservations()) return skipped;
    const std::string failed = message_of<host::output_error>([&] { write_output(path, text); });
    return failed == "nothing was thrown" ? 0 : 1;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == skipped) GTEST_SKIP() << "system calls cannot be filtered";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(folder / "link"), text);
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(outputs, a_hard_link_keeps_what_it_held_if_writing_fails) {
  const auto path = file("y", "old");
  fs::create_hard_link(path, folder / "link");
  const std::string failed = message_of<host::output_error>([&] {
    write_output(path, [](std::FILE* to) {
      std::fputs("half", to);
      errno = EIO;
      return false;
    });
  });
  EXPECT_EQ(failed, path.string() + ": cannot write: Input/output error");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(outputs, a_long_name_leaves_room_for_the_temporary_file) {
  const std::string name(255, 'n');
  for (int k = 0; k < 2; ++k) write_output(folder / name, "new");
  EXPECT_EQ(content_of(folder / name), "new");
}

TEST_F(outputs, symbolic_links_stay_and_what_they_lead_to_is_written) {
  file("y", "old");
  fs::create_directory(folder / "inner");
  fs::create_symlink("../y", folder / "inner/link");
  fs::create_symlink("new", folder / "inner/dangling");
  fs::create_symlink("inner/dangling", folder / "far");
  for (const std::string_view name : {"inner/link", "inner/dangling", "far"}) {
    check_output(folder / name);
    write_output(folder / name, name);
    EXPECT_TRUE(fs::is_symlink(folder / name));
    EXPECT_EQ(content_of(folder / name), name);
  }
  EXPECT_EQ(content_of(folder / "y"), "inner/link");
  EXPECT_EQ(content_of(folder / "inner/new"), "far");
}

/// As /dev/stdout does where standard output is closed, or a file that was removed.
TEST_F(outputs, links_of_proc_stay) {
  const fs::path link = folder / "stdout";
  fs::create_symlink("/proc/self/fd/999", link);
  EXPECT_EQ(message_of<host::output_error>([&] { write_output(link, "new"); }),
            link.string() + ": cannot create: No such file or directory");
  EXPECT_TRUE(fs::is_symlink(link));
  fs::remove(link);
  const auto path = file("y", "old");
  std::FILE* const opened = std::fopen(path.c_str(), "r+");
  ASSERT_NE(opened, nullptr);
  fs::remove(path);
  fs::create_symlink("/proc/self/fd/" + std::to_string(::fileno(opened)), link);
  write_output(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content_of(link), "new");
  std::fclose(opened);
}

TEST_F(outputs, are_checked_before_they_are_written) {
  const auto path = file("y", "old");
  check_output(path);
  check_output(folder / "new");
  check_output("-");
  check_output("/dev/null");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files_in_folder(), 1u);
  const auto complaint = [](const fs::path& bad) {
    return message_of<host::output_error>([&] { check_output(bad); });
  };
  EXPECT_EQ(complaint(""), "'': cannot create: No such file or directory");
  EXPECT_EQ(complaint(folder.path()), folder.path().string() + ": cannot create: Is a directory");
  EXPECT_EQ(complaint(folder / "no/y"),
            (folder / "no/y").string() + ": cannot create: No such file or directory");
}

TEST_F(outputs, are_told_apart_by_whether_they_are_replaced) {
  EXPECT_TRUE(overwrites(folder / "new"));
  EXPECT_TRUE(overwrites(file("y", "old")));
  EXPECT_FALSE(overwrites("-"));
  EXPECT_FALSE(overwrites("/dev/null"));
}

TEST_F(outputs, are_compressed_as_their_endings_say) {
  std::string text;
  for (int k = 0; k < 50'000; ++k) text += std::to_string(k * 7919L) + '\n';
  const auto read = [](const fs::path& path) {
    byte_source source(path);
    std::string all(1 << 20, ' ');
    std::size_t used = 0;
    while (const std::size_t got = source.read(all.data() + used, all.size() - used)) used += got;
    return all.substr(0, used);
  };
  for (const std::string name : {"y.gz", "y.GZ", "y.txt.bz2", "y.Xz", "y.svg.zst"})
    for (const std::string& content : {text, std::string("short"), std::string()}) {
      write_output(folder / name, content);
      EXPECT_EQ(coding_of(content_of(folder / name).substr(0, coding_magic_size)), coding_by_ending(name))
          << name;
      EXPECT_EQ(read(folder / name), content) << name;
    }
  const std::string last = content_of(folder / "y.gz");
  write_output(folder / "y.gz", "");
  EXPECT_EQ(content_of(folder / "y.gz"), last); // no time is recorded
  write_output(folder / "y.npz", "neither .npz");
  write_output(folder / "y.zip", "nor .zip");
  EXPECT_EQ(content_of(folder / "y.npz") + content_of(folder / "y.zip"), "neither .npznor .zip");
  EXPECT_EQ(files_in_folder(), 7u);
}

TEST_F(outputs, that_are_compressed_keep_the_promises) {
  const auto path = file("y.gz", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  fs::create_hard_link(path, folder / "link");
  for (const std::string name : {"y.gz", "new.xz"}) {
    const std::string failed = message_of<host::output_error>([&] {
      write_output(folder / name, [](std::FILE* to) {
        std::fputs("half", to);
        errno = EIO;
        return false;
      });
    });
    EXPECT_EQ(failed, (folder / name).string() + ": cannot write: Input/output error");
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files_in_folder(), 2u);
  write_output(path, "new");
  EXPECT_EQ(coding_of(content_of(folder / "link")), coding::gzip);
  EXPECT_EQ(status_of(path).st_mode & 07777, 0640u);
  EXPECT_EQ(message_of<host::output_error>([&] { write_output(folder / "no/y.gz", "new"); }),
            (folder / "no/y.gz").string() + ": cannot create: No such file or directory");
}

TEST_F(outputs, that_are_compressed_report_a_full_device) {
  const std::string much(1 << 20, 'x');
  for (const std::string name : {"y.gz", "y.bz2", "y.xz", "y.zst"}) {
    fs::create_symlink("/dev/full", folder / name);
    for (const std::string& text : {std::string(), much})
      EXPECT_EQ(message_of<host::output_error>([&] { write_output(folder / name, text); }),
                (folder / name).string() + ": cannot write: No space left on device");
  }
}

TEST_F(outputs, that_are_compressed_leave_nothing_when_they_are_interrupted) {
  if (sanitized) GTEST_SKIP() << "a sanitizer does not let a forked process start threads";
  const auto path = file("y.gz", "old");
  const int status = status_in_child([&] {
    std::signal(SIGINT, SIG_DFL);
    host::watch_interruptions();
    write_output(path, [](std::FILE* to) {
      for (int k = 0; k < 1'000'000; ++k) std::fprintf(to, "%d\n", k);
      ::kill(::getpid(), SIGINT);
      ::sleep(20); // the signal ends the process, unless it never does
      return true;
    });
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

} // namespace
} // namespace evenly::io::testing
