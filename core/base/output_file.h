#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace kernelscape::base {

/** A kind of file that users save, and how an earlier file of this kind is recognised. */
struct OutputKind {
  std::string name;  ///< after "no": "export in the format csv", "chart as PNG"
  /**
   * Returns true if a file with this beginning (its first MiB) is of this kind and was written by this
   * program; empty: no file is.
   */
  std::function<bool(std::string_view head)> recognises_own{};
  bool recording = false;  ///< a recorded space, which holds measurements: replaces another only with `force`
};

/** The file to write, and which existing files it may replace. */
struct OutputRequest {
  std::filesystem::path path;
  OutputKind kind;
  bool force = false;                               ///< the user allows to replace an existing file
  std::vector<std::filesystem::path> sources = {};  ///< files that the output is made from
  ReplacedMode mode = ReplacedMode::Kept;           ///< permissions taken over from a replaced file
};

/**
 * The only way in which core, ui and app write files that users save: exports, reports, charts, studies,
 * kernels. No other code opens such a file for writing.
 *
 * The file appears whole or not at all. The content of an existing file decides what happens, when the output
 * is created and again when it is put in place:
 *   nothing, an empty file, an earlier file of the same kind   replaced
 *   a database, its -wal, -shm and -journal, a source (whatever its name), a recorded space where none is
 *   written                                                    Refused, even with force
 *   anything else                                              Occupied, unless forced
 *   a link to a file of the same folder                        followed; Refused if it leads elsewhere
 *   a device, a pipe, /dev/stdout                              written directly
 */
class OutputFile {
 public:
  /**
   * Opens the output. Errors: as above; InvalidArgument if the path is a folder or its parent folder is
   * missing; Environment.
   */
  static Result<OutputFile> create(OutputRequest request);
  /**
   * Opens an output in an open folder: no link is followed, not even to a device.
   * @param name in the folder; messages name request.path
   */
  static Result<OutputFile> create_in(const OpenFolder& folder, const std::string& name,
                                      OutputRequest request);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  /** Appends bytes; may be called repeatedly. Error: Environment, for example a full disk. */
  Status write(std::string_view bytes);
  /** Flushes the file to the disk and puts it in place, after checking the existing file again. */
  Status commit();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/** Creates a file, writes it and puts it in place. */
Status write_output(OutputRequest request, std::string_view bytes);

/** Returns the error that OutputFile::create() would return now, without writing anything. */
Status check_output(const OutputRequest& request);
/** Returns the error that OutputFile::create_in() would return now, without writing anything. */
Status check_output_in(const OpenFolder& folder, const std::string& name, const OutputRequest& request);

}  // namespace kernelscape::base
