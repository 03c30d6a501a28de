#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/web/http_response.h"
#include "ui/web/page_reader.h"

namespace kernelscape::web {

/** A page as it was rendered last, or the page of an error. */
struct CachedPage {
  HttpStatus status = HttpStatus::Ok;
  QByteArray html;
  QByteArray etag = {};  ///< of a page that keeps itself current; empty for an error
};

/**
 * Keeps the pages that browsers ask for. Reads and renders a page only when it is asked for, only if it
 * changed, and so rarely that a page takes at most a tenth of a core; nothing runs while nobody watches.
 * Lives on the window's thread.
 */
class PageCache : public QObject {
  Q_OBJECT

 public:
  using Ready = std::function<void(const CachedPage& page)>;
  using MakeReader = std::function<std::unique_ptr<PageReader>()>;

  explicit PageCache(QObject* parent = nullptr);
  ~PageCache() override;

  /**
   * Calls `ready` with a page: at once if it was read a moment ago, or if it was read before and something is
   * being timed; else when it was read again.
   * @param address names the page
   * @param make_reader makes the page's reader; called again after errors
   */
  void ask(const std::string& address, const MakeReader& make_reader, Ready ready);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry;
  struct Reading;

  Entry* entry_of(const std::string& address, const MakeReader& make_reader);
  void start(Entry& entry);
  void finish(Entry& entry, Result<Reading> reading);
  void drop_unwatched();

  std::map<std::string, std::unique_ptr<Entry>> entries_;
  QTimer dropping_;
};

}  // namespace kernelscape::web
