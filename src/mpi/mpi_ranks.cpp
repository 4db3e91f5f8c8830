// SPDX-License-Identifier: Apache-2.0
// The ranks of evenly::distributed::from_mpi: libevenly_mpi.so, the only part of the project that links MPI.
//
// No call blocks in MPI: each waits by testing, so that it can give up and say which ranks it waits for.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/mpi.hpp"

namespace evenly::distributed {
namespace {

using clock = std::chrono::steady_clock;

void check_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw rank_failed(evenly::detail::concat(call, ": ", text));
}

/// Prints one line and ends all processes.
[[noreturn]] void end_all(MPI_Comm comm, const std::string& line) {
  std::fprintf(stderr, "evenly: %s\n", line.c_str());
  std::fflush(nullptr);
  MPI_Abort(comm, 1);
  std::abort(); // MPI_Abort does not return
}

/// A tag for each purpose: a rank that is at another call does not match, and is reported when the wait ends.
int tag_of(const char* purpose) {
  unsigned hash = 2166136261U;
  for (; *purpose != '\0'; ++purpose) hash = (hash ^ static_cast<unsigned char>(*purpose)) * 16777619U;
  return static_cast<int>(hash % 32767U); // the standard's least upper bound of tags
}

class mpi_communicator final : public communicator {
 public:
  mpi_communicator(MPI_Comm comm, int rank, int size, const mpi_options& options)
      : communicator(rank, size), comm_(comm), options_(options) {}

  void exchange(const char* purpose, std::span<const outgoing> out, std::span<const incoming> in) override {
    std::vector<MPI_Request> requests;
    std::vector<int> peers;
    const int tag = tag_of(purpose);
    for (const incoming& each : in)
      in_pieces(each.bytes, [&](std::size_t at, int bytes) {
        requests.emplace_back();
        peers.push_back(each.from);
        check_mpi(MPI_Irecv(static_cast<std::byte*>(each.data) + at, bytes, MPI_BYTE, each.from, tag, comm_,
                            &requests.back()),
                  "MPI_Irecv");
      });
    const std::size_t received = requests.size();
    for (const outgoing& each : out)
      in_pieces(each.bytes, [&](std::size_t at, int bytes) {
        requests.emplace_back();
        peers.push_back(each.to);
        check_mpi(MPI_Isend(static_cast<const std::byte*>(each.data) + at, bytes, MPI_BYTE, each.to, tag,
                            comm_, &requests.back()),
                  "MPI_Isend");
      });
    std::vector<MPI_Status> statuses(requests.size());
    wait(purpose, requests, statuses, peers);
    std::size_t next = 0;
    for (const incoming& each : in)
      in_pieces(each.bytes, [&](std::size_t, int bytes) {
        int found = 0;
        MPI_Get_count(&statuses[next++], MPI_BYTE, &found);
        if (found != bytes)
          throw rank_failed(evenly::detail::concat("rank ", rank(), " expects ", bytes, " bytes of rank ",
                                                   each.from, " (", purpose, "), which sent ", found));
      });
    if (next != received) throw rank_failed("messages were lost");
  }
  void all_gather(const char* purpose, const void* mine, std::size_t bytes, void* all) override {
    if (bytes > options_.max_message / static_cast<std::size_t>(size())) {
      gather_by_messages(purpose, mine, bytes, all);
      return;
    }
    std::vector<MPI_Request> request(1);
    std::vector<MPI_Status> status(1);
    const int count = static_cast<int>(bytes);
    if (bytes == 0)
      check_mpi(MPI_Ibarrier(comm_, request.data()), "MPI_Ibarrier");
    else
      check_mpi(MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_, request.data()),
                "MPI_Iallgather");
    wait(purpose, request, status, {});
  }

 private:
  /// Calls piece(begin, bytes) for the pieces of a message; once for an empty one.
  template <class Piece> void in_pieces(std::size_t bytes, const Piece& piece) const {
    std::size_t at = 0;
    do {
      const std::size_t size = std::min(bytes - at, options_.max_message);
      piece(at, static_cast<int>(size));
      at += size;
    } while (at < bytes);
  }
  void wait(const char* purpose, std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses,
            const std::vector<int>& peers) {
    const auto begin = clock::now();
    for (int turn = 0;; ++turn) {
      int done = 0;
      check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data()),
                purpose);
      if (done) return;
      if (turn < spins) continue;
      std::this_thread::yield();
      const std::chrono::duration<double> waited = clock::now() - begin;
      if (waited.count() > options_.wait_seconds) give_up(purpose, requests, peers);
    }
  }
  [[noreturn]] void give_up(const char* purpose, const std::vector<MPI_Request>& requests,
                            const std::vector<int>& peers) {
    std::string line =
        evenly::detail::concat("rank ", rank(), " of ", size(), " has waited ",
                               static_cast<long long>(options_.wait_seconds), " s (", purpose, ") for ");
    std::vector<int> missing;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      int done = 0;
      MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
      if (!done) missing.push_back(peers[i]);
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    if (missing.empty()) line += "the other ranks";
    for (std::size_t i = 0; i < missing.size(); ++i)
      line += evenly::detail::concat(i == 0 ? "rank " : ", rank ", missing[i]);
    end_all(comm_, line + ": all ranks must make the same calls in the same order");
  }

  static constexpr int spins = 1000; ///< tests before the thread lets others run

  MPI_Comm comm_;
  mpi_options options_;
};

class mpi_ranks final : public rank_group {
 public:
  mpi_ranks(MPI_Comm comm, const mpi_options& options) : comm_(comm), options_(options) {
    check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  }
  ~mpi_ranks() override {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Comm_free(&comm_);
  }
  int size() const override { return size_; }
  int first() const override { return rank_; }
  int count() const override { return 1; }
  void run(const std::function<void(communicator&)>& body) override {
    try {
      mpi_communicator here(comm_, rank_, size_, options_);
      body(here);
    } catch (const different_inputs&) {
      throw; // on every rank
    } catch (const std::exception& e) {
      if (size_ == 1) throw;
      end_all(comm_, evenly::detail::concat("rank ", rank_, " of ", size_, " failed: ", e.what()));
    }
  }

 private:
  MPI_Comm comm_;
  mpi_options options_;
  int rank_ = 0;
  int size_ = 1;
};

/// Ends MPI when the program ends. If it fails, all ranks end, since they may wait for this one.
void finalize(int status, void*) {
  int ended = 0, rank = 0;
  MPI_Finalized(&ended);
  if (ended) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (status != 0)
    end_all(MPI_COMM_WORLD, evenly::detail::concat("rank ", rank, " ended with exit status ", status));
  MPI_Finalize();
}

} // namespace
} // namespace evenly::distributed

extern "C" {
extern const int evenly_mpi_interface;
const int evenly_mpi_interface = evenly::distributed::detail::mpi_interface;

evenly::distributed::rank_group* evenly_mpi_ranks(const void* comm, std::size_t bytes,
                                                  const evenly::distributed::mpi_options& options,
                                                  int* on_host) {
  using namespace evenly::distributed;
  int started = 0;
  MPI_Initialized(&started);
  evenly::require(started || comm == nullptr, [] {
    return "MPI is not initialised: call MPI_Init first, or from_mpi without a communicator";
  });
  if (!started) {
    int provided = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    ::on_exit(finalize, nullptr);
  }
  MPI_Comm given = MPI_COMM_WORLD, own = MPI_COMM_NULL, host = MPI_COMM_NULL;
  if (comm != nullptr) {
    evenly::require(bytes == sizeof(MPI_Comm), [&] {
      return evenly::detail::concat("a communicator of ", bytes, " bytes is given, but this MPI's have ",
                                    sizeof(MPI_Comm), ": use the MPI that evenly was built with");
    });
    std::memcpy(&given, comm, bytes);
  }
  check_mpi(MPI_Comm_dup(given, &own), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_split_type(own, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  MPI_Comm_size(host, on_host);
  MPI_Comm_free(&host);
  return new mpi_ranks(own, options);
}
}
