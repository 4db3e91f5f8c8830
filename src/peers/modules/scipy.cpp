// SPDX-License-Identifier: Apache-2.0
// SciPy, on one core, in a process of `python3` that lives as long as the candidate. Arrays are exchanged in files. A
// run is one line to that process and one line back: some tens of microseconds, which its time includes.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <sys/stat.h>

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

namespace fs = std::filesystem;

/// scipy.py, with a folder of files.
class process {
 public:
  /// `words`: the operation and the type of values.
  explicit process(const std::string& words) : words_(words), folder_(make_folder()) {}
  ~process() {
    if (commands_ != nullptr) pclose(commands_);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  template <class T> void write(const char* name, const T* values, std::int64_t count) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(sizeof(T)) * count);
  }
  template <class T> void read(const char* name, T* to, std::int64_t count) const {
    const auto bytes = static_cast<std::streamsize>(sizeof(T)) * count;
    if (!std::ifstream(folder_ / name, std::ios::binary).read(reinterpret_cast<char*>(to), bytes))
      throw std::runtime_error(std::string("the result has too few ") + name);
  }
  template <class T> void read(const char* name, std::vector<T>& to) const {
    to.resize(fs::file_size(folder_ / name) / sizeof(T));
    read(name, to.data(), static_cast<std::int64_t>(to.size()));
  }
  void write(const std::string& prefix, const auto& a) const {
    const std::int64_t entries = a.offsets[a.rows];
    write((prefix + "offsets").c_str(), a.offsets, a.rows + 1);
    write((prefix + "columns").c_str(), a.columns, entries);
    if (a.values != nullptr) write((prefix + "values").c_str(), a.values, entries);
    write((prefix + "cols").c_str(), &a.cols, 1);
  }

  /// Starts the process if necessary, and waits for its answer.
  void call(const std::string& command) {
    if (commands_ == nullptr) start();
    std::fprintf(commands_, "%s\n", command.c_str());
    std::fflush(commands_);
    std::string answer;
    if (!std::getline(answers_, answer)) throw std::runtime_error("python3 ended without an answer");
    if (answer != "ok") throw std::runtime_error(answer);
  }

 private:
  static fs::path make_folder() {
    std::string name = (fs::temp_directory_path() / "evenly-scipy-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make a folder like " + name);
    return name;
  }
  void start() {
    const fs::path answers = folder_ / "answers";
    if (mkfifo(answers.c_str(), 0600) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make " + answers.string());
    const std::string line = "exec python3 '" EVENLY_SCIPY_SCRIPT "' '" + folder_.string() + "' " + words_ +
                             " >'" + answers.string() + "'";
    commands_ = popen(line.c_str(), "w");
    if (commands_ == nullptr) throw std::system_error(errno, std::generic_category(), "cannot start python3");
    answers_.open(answers);
  }

  std::string words_;
  fs::path folder_;
  std::FILE* commands_ = nullptr;
  std::ifstream answers_;
};

template <class Value> std::shared_ptr<process> process_of(const std::string& operation) {
  return std::make_shared<process>(operation + (sizeof(Value) == 4 ? " float32" : " float64"));
}

/// The version of SciPy. Throws std::runtime_error if it cannot be imported.
std::string version_of_scipy() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> from(
      popen("python3 -c 'import scipy; print(scipy.__version__, end=\"\")' 2>/dev/null", "r"), pclose);
  char text[64];
  const std::string version(text, from ? std::fread(text, 1, sizeof(text), from.get()) : 0);
  if (version.empty()) throw std::runtime_error("python3 cannot import scipy: install python3-scipy");
  return version;
}

struct scipy {
  template <class Value> prepared_peer operator()(const vector_product<Value>& p, int) const {
    const auto python = process_of<Value>("vector_product");
    python->write("a_", p.a);
    python->write("x", p.x, p.a.cols);
    return {[python] { python->call("run"); },
            [p, python] {
              python->call("store");
              python->read("y", p.y, p.a.rows);
            }};
  }

  template <class Value> static std::string refusal(const dense_product<Value>& p) {
    return p.c.layout == dense_layout::rows ? "" : "its product is stored by rows (--layout row of spmm)";
  }
  template <class Value> prepared_peer operator()(const dense_product<Value>& p, int) const {
    const auto python = process_of<Value>("dense_product");
    python->write("a_", p.a);
    python->write("b", p.b.data, p.b.extent());
    return {[python] { python->call("run"); },
            [p, python] {
              python->call("store");
              python->read("c", p.c.data, p.c.extent());
            }};
  }

  template <class Value> prepared_peer operator()(const sparse_product<Value>& p, int) const {
    const auto python = process_of<Value>("sparse_product");
    python->write("a_", p.a);
    python->write("b_", p.b);
    return {[python] { python->call("run"); },
            [p, python] {
              python->call("store");
              python->read("offsets", p.c->offsets);
              python->read("columns", p.c->columns);
              python->read("values", p.c->values);
            }};
  }

  prepared_peer operator()(const graph_search& p, int) const {
    const auto python = process_of<double>(p.edges.values == nullptr ? "bfs" : "sssp");
    python->write("a_", p.edges);
    return {[p, python] { python->call("run " + std::to_string(*p.source)); },
            [p, python] {
              python->call("store");
              python->read("found", *p.values);
            }};
  }
};

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::scipy, evenly::peers::version_of_scipy())
