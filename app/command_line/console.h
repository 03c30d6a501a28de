#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/schedule/target.h"

namespace kernelscape {

/** "kernelscape: error: MESSAGE\n  HINT" on standard error. */
void print_error(const Error& error);

/** 2 for the user's input, 1 for everything else. */
int exit_code_of(const Error& error);

/** Decides between a progress bar and plain lines. */
bool standard_output_is_terminal();
/** Columns of the terminal; 100 where there is none. */
std::size_t terminal_width();

/** Rows of texts in aligned columns under a header, two spaces apart; numbers are aligned to the right. */
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  /** As many texts as the header has. */
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;  ///< all rows, each ended by a line feed

 private:
  std::vector<std::vector<std::string>> rows_;
};

/** "2 cores", "132 multiprocessors", "64 compute units". */
std::string cores_text(const TargetDescription& target);
/** "cpu (AMD EPYC, 2 cores)", "cuda:0 (NVIDIA H200, 132 multiprocessors)", "cuda (sm_80, no device)". */
std::string target_text(const TargetDescription& target);

}  // namespace kernelscape
