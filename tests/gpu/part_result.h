#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kernelscape::gpu_proof {

/** What a part found so far, in a file that is whole after every step. */
class PartResult {
 public:
  /** @param earlier what an earlier visit found, which the part may go on from; null: nothing */
  PartResult(std::filesystem::path file, const std::string& part, double seconds,
             const nlohmann::json& earlier);

  /** A fact or a number by its name; one that is set again takes the place of the first. */
  void set(const std::string& name, nlohmann::json value) { json_["numbers"][name] = std::move(value); }
  /** Counts up a number. */
  void count(const std::string& name, std::int64_t by = 1);
  /** A row of a table. */
  void add_row(const std::string& table, nlohmann::json row) {
    json_["tables"][table].push_back(std::move(row));
  }
  /** What should not be so. @param text kept beside the summary, such as the kernel's source */
  void fail(const std::string& what, const std::string& message, const std::string& text = {});
  /** What is missing, or was done otherwise. */
  void note(const std::string& text);
  /** What the parts after this one have in their environment. */
  void set_environment(const std::string& name, const std::string& value) {
    json_["environment"][name] = value;
  }
  /** Says why the part is not possible here: a library or a tool that is missing. */
  void skip(const std::string& reason);
  /** Marks the part as complete: a later visit has nothing to add. */
  void done() { json_["state"] = "done"; }
  /** Marks the part as useful so far: a later visit adds to it. @param what_is_left for users */
  void pause(const std::string& what_is_left);

  /** Keeps all so far. */
  void save();

  /** Until the part's time is over. */
  double seconds_left() const;
  bool out_of_time() const { return seconds_left() <= 0; }
  const nlohmann::json& content() const { return json_; }
  /** Rows that an earlier visit left. */
  nlohmann::json earlier_rows(const std::string& table) const;

 private:
  std::filesystem::path file_;
  nlohmann::json json_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_seconds_;
};

/** Returns true if a stored result is complete, so that a later visit need not run its part again. */
bool is_complete(const nlohmann::json& result);

/** What a file holds; null where it is missing or none. */
nlohmann::json read_json(const std::filesystem::path& file);
/** Whole or not at all; what can't be written is said on standard error. */
void write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace kernelscape::gpu_proof
