#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/store/store.h"
#include "ui/web/page.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::web {

/** Reads the contents of one page from the database, again and again. Used by one thread at a time. */
class PageReader {
 public:
  PageReader() = default;
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;
  virtual ~PageReader() = default;

  /**
   * Returns the contents, or nullopt if they did not change since the last reading. To be called in a
   * background job. After an error the reader must not be used again.
   */
  virtual Result<std::optional<PageContents>> read(const workspace::JobControl& control) = 0;
};

/**
 * Returns a reader of the list of sessions and studies: running ones first, then the newest. A database that
 * does not exist yet is an empty list.
 */
std::unique_ptr<PageReader> make_list_reader(const std::filesystem::path& database);
/** Returns a reader of a session, of this or another process. */
std::unique_ptr<PageReader> make_session_reader(const std::filesystem::path& database, store::SessionId id);
/** Returns a reader of a study with its figures and verdicts; also of the study of a network. */
std::unique_ptr<PageReader> make_study_reader(const std::filesystem::path& database, store::StudyId id);

}  // namespace kernelscape::web
