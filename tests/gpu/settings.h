#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::gpu_proof {

/** What a visit to a machine is to do. */
struct Settings {
  std::filesystem::path home;       ///< of the unpacked archive: bin, lib, share, fake
  std::filesystem::path out;        ///< files that are to be copied back
  std::filesystem::path work;       ///< databases and results while it runs
  std::filesystem::path continued;  ///< the `out` of an earlier visit; empty: none
  std::string device = "cuda:0";
  double minutes = 9;  ///< of the whole, or of a part that is run by itself
  std::uint64_t seed = 1;
  bool fake = false;               ///< against stand-ins, a few trials of small tasks
  std::vector<std::string> parts;  ///< in the order in which they run
  bool skip_complete = false;      ///< leave out parts that an earlier call has completed

  /** A program of the archive. */
  std::string program(const std::string& name) const { return (home / "bin" / name).string(); }
  std::filesystem::path result_file(const std::string& part) const { return work / (part + ".json"); }
  /** A database or recording while it grows; the file that is copied back has the same name. */
  std::filesystem::path kept_file(const std::string& name) const { return work / name; }
};

/** What the command line says. InvalidArgument names the word. */
Result<Settings> parse_settings(const std::vector<std::string>& words);

/** How it is used. */
std::string usage();

}  // namespace kernelscape::gpu_proof
