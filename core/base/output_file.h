#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace kernelscape {

/** A kind of file that users save, and how one that was saved before is told from everything else. */
struct OutputKind {
  std::string name;  ///< after "no": "export in the format csv", "chart as PNG"
  /** Whether a file that begins so is of this kind and ours: asked of its first MiB; empty: none is. */
  std::function<bool(std::string_view head)> recognises_own{};
  bool recording = false;  ///< a recorded space, which is a measurement: replaces others only by force
};

/** What is to be written, and what may be lost for it. */
struct OutputRequest {
  std::filesystem::path path;
  OutputKind kind;
  bool force = false;                               ///< the user said that what stands there may go
  std::vector<std::filesystem::path> sources = {};  ///< what is read for it
  ReplacedMode mode = ReplacedMode::Kept;           ///< of a file that it replaces
};

/**
 * The one way in which core, ui and app write what users save: exports, reports, charts, studies, kernels.
 * No other code of theirs opens such a file for writing.
 *
 * The file appears whole or not at all. What stands there is looked at by content when the file is created
 * and again when it takes its place:
 *   nothing, an empty file, an earlier file of the same kind   replaced
 *   a database, its -wal, -shm and -journal, a source (whatever its name), a recorded space where none is
 *   written                                                    Refused, even by force
 *   anything else                                              Occupied, unless forced
 *   a link to a file of the same folder                        followed; Refused where it leads out of it
 *   a device, a pipe, /dev/stdout                              written directly
 */
class OutputFile {
 public:
  /** Errors: as above; InvalidArgument where the path is a folder or its folder is missing; Environment. */
  static Result<OutputFile> create(OutputRequest request);
  /**
   * The same in a folder that is open: no link is followed there, to a device neither.
   * @param name in the folder; request.path becomes what messages say
   */
  static Result<OutputFile> create_in(const OpenFolder& folder, const std::string& name,
                                      OutputRequest request);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  /** Appends; may be called often. Error: Environment, a full disk among them. */
  Status write(std::string_view bytes);
  /** Brings it to the disk and to its place, after a second look at what is there. */
  Status commit();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/** Creates the file, writes it and puts it in its place. */
Status write_output(OutputRequest request, std::string_view bytes);

/** The error that OutputFile::create() would meet now, but writes nothing. */
Status check_output(const OutputRequest& request);
/** The same of OutputFile::create_in(). */
Status check_output_in(const OpenFolder& folder, const std::string& name, const OutputRequest& request);

}  // namespace kernelscape
