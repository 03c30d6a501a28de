#include "ui/web/page_cache.h"

#include <algorithm>
#include <utility>

#include "core/base/memory.h"
#include "core/base/thread_cpu_time.h"

namespace kernelscape::web {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::size_t max_entries = 32;
/** Time after which a page that nobody asked for is forgotten, with its connection to the database. */
constexpr std::chrono::seconds unwatched_time{60};
constexpr std::chrono::seconds drop_interval{20};
/** A page is read again at the earliest after so many times the CPU time that its last reading took. */
constexpr double rest_factor = 10;
constexpr double min_rest_seconds = 0.5;
constexpr double max_rest_seconds = 30;

HttpStatus status_of(const Error& error) {
  return error.code == ErrorCode::NotFound ? HttpStatus::NotFound : HttpStatus::InternalError;
}

CachedPage error_page(const Error& error) {
  return {status_of(error),
          message_page(QStringLiteral("This page cannot be shown"), QString::fromStdString(describe(error)))};
}

Result<CachedPage> render(const PageContents& contents) {
  return base::guarded("rendering a page", [&]() -> Result<CachedPage> {
    Page page = make_page(contents);
    return CachedPage{HttpStatus::Ok, std::move(page.html), '"' + page.revision + '"'};
  });
}

}  // namespace

struct PageCache::Reading {
  std::optional<PageContents> contents;
  double cpu_seconds = 0;
};

struct PageCache::Entry {
  MakeReader make_reader;
  std::shared_ptr<PageReader> reader;
  std::optional<CachedPage> page = {};
  std::vector<Ready> waiting = {};
  Clock::time_point asked = {};  ///< last time at which the page was asked for
  Clock::time_point stale = {};  ///< time from which the page is read again
  workspace::JobTracker job;
};

PageCache::PageCache(QObject* parent) : QObject(parent) {
  dropping_.setInterval(drop_interval);
  connect(&dropping_, &QTimer::timeout, this, &PageCache::drop_unwatched);
}

PageCache::~PageCache() = default;

void PageCache::ask(const std::string& address, const MakeReader& make_reader, Ready ready) {
  Entry* entry = entry_of(address, make_reader);
  if (entry == nullptr)
    return ready(
        {HttpStatus::Unavailable, message_page(QStringLiteral("Too many pages"),
                                               QStringLiteral("Close other pages, and try again."))});
  entry->asked = Clock::now();
  if (entry->page && entry->asked < entry->stale) return ready(*entry->page);
  if (!entry->job.busy()) start(*entry);
  // Reading waits while something is timed, which may take long.
  if (entry->page && workspace::something_is_timed()) return ready(*entry->page);
  entry->waiting.push_back(std::move(ready));
}

/** Returns null if there is no room for another page. */
PageCache::Entry* PageCache::entry_of(const std::string& address, const MakeReader& make_reader) {
  if (const auto known = entries_.find(address); known != entries_.end()) return known->second.get();
  if (entries_.size() >= max_entries) {
    const auto oldest = std::ranges::min_element(entries_, {}, [](const auto& entry) {
      return std::pair(entry.second->job.busy(), entry.second->asked);
    });
    if (oldest->second->job.busy()) return nullptr;
    entries_.erase(oldest);
  }
  auto entry = std::make_unique<Entry>();
  entry->make_reader = make_reader;
  dropping_.start();
  return entries_.emplace(address, std::move(entry)).first->second.get();
}

void PageCache::start(Entry& entry) {
  if (!entry.reader) entry.reader = entry.make_reader();
  entry.job.start(
      [reader = entry.reader](const workspace::JobControl& control) -> Result<Reading> {
        const double begin = base::thread_cpu_seconds();
        Reading reading;
        reading.contents = TRY(reader->read(control));
        reading.cpu_seconds = base::thread_cpu_seconds() - begin;
        return reading;
      },
      [this, &entry](Result<Reading> reading) { finish(entry, std::move(reading)); });
}

void PageCache::finish(Entry& entry, Result<Reading> reading) {
  const double begin = base::thread_cpu_seconds();
  double cpu_seconds = 0;
  if (reading) cpu_seconds = reading->cpu_seconds;
  Result<CachedPage> page = CachedPage();
  if (!reading)
    page = std::unexpected(reading.error());
  else if (reading->contents)
    page = render(*reading->contents);
  else if (entry.page)
    page = *entry.page;
  // The next reading begins anew: what the reader knows may be what failed.
  if (!page) entry.reader.reset();
  entry.page = page ? std::move(*page) : error_page(page.error());
  cpu_seconds += base::thread_cpu_seconds() - begin;
  const Seconds rest(std::clamp(cpu_seconds * rest_factor, min_rest_seconds, max_rest_seconds));
  entry.stale = Clock::now() + std::chrono::duration_cast<Clock::duration>(rest);
  for (const Ready& ready : std::exchange(entry.waiting, {})) ready(*entry.page);
}

void PageCache::drop_unwatched() {
  const Clock::time_point limit = Clock::now() - unwatched_time;
  std::erase_if(entries_, [limit](const auto& entry) {
    return !entry.second->job.busy() && entry.second->asked < limit;
  });
  if (entries_.empty()) dropping_.stop();
}

}  // namespace kernelscape::web
