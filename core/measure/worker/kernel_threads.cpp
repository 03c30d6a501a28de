#include "core/measure/worker/kernel_threads.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/thread_cpu_time.h"

namespace kernelscape::measure {
namespace {

constexpr std::size_t stack_bytes = 8 << 20;
// Some milliseconds, which is longer than the parts of a call wait for each other: waking up takes time that
// is not the kernel's.
constexpr int spins_before_sleep = 100'000;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

cpu_set_t set_of(std::span<const int> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
  return set;
}

std::uint64_t own_preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

}  // namespace

struct KernelThreads::Member {
  KernelThreads* owner;
  int part;
  cpu_set_t processor;
  pthread_t thread{};
};

KernelThreads::KernelThreads(int parts, bool spin)
    : parts_(parts), spin_(spin), watched_(static_cast<std::size_t>(parts)) {}

std::unique_ptr<KernelThreads> KernelThreads::start(int parts, std::span<const int> processors,
                                                    const std::function<void()>& prepare,
                                                    Placement placement) {
  const auto count = static_cast<std::size_t>(parts);
  std::unique_ptr<KernelThreads> threads(new KernelThreads(parts, count <= processors.size()));
  threads->prepare_ = prepare;
  for (std::size_t part = 0; part < count; ++part) {
    const cpu_set_t processor = set_of(
        placement == Placement::AllProcessors ? processors : processors.subspan(part % processors.size(), 1));
    if (part == 0) {
      sched_setaffinity(0, sizeof processor, &processor);
      threads->watched_[0].waiting = ThreadWatch(RunQueueDelay::of_this_thread());
      prepare();
      continue;
    }
    auto member = std::make_unique<Member>(
        Member{.owner = threads.get(), .part = static_cast<int>(part), .processor = processor});
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    const int error = pthread_create(&member->thread, &attributes, &KernelThreads::enter, member.get());
    pthread_attr_destroy(&attributes);
    if (error != 0) return nullptr;
    threads->members_.push_back(std::move(member));
  }
  return threads;
}

KernelThreads::~KernelThreads() {
  stopping_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (const auto& member : members_) pthread_join(member->thread, nullptr);
}

void* KernelThreads::enter(void* member) {
  const auto* self = static_cast<Member*>(member);
  // Each thread pins itself: a confined process may move only the calling thread.
  sched_setaffinity(0, sizeof self->processor, &self->processor);
  self->owner->watched_[static_cast<std::size_t>(self->part)].waiting =
      ThreadWatch(RunQueueDelay::of_this_thread());
  self->owner->prepare_();
  self->owner->serve(self->part);
  return nullptr;
}

void KernelThreads::wait_while_equal(std::atomic<std::uint32_t>& value, std::uint32_t old) const {
  for (int i = 0; spin_ && i < spins_before_sleep; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_briefly();
  }
  value.wait(old, std::memory_order_acquire);
}

void KernelThreads::serve(int part) {
  std::uint32_t seen = 0;
  while (true) {
    wait_while_equal(round_, seen);
    ++seen;
    if (stopping_.load()) return;
    (*work_)(part);
    finished_.fetch_add(1, std::memory_order_acq_rel);
    finished_.notify_one();
  }
}

void KernelThreads::call(const Work& work) {
  const auto others = static_cast<std::uint32_t>(parts_ - 1);
  if (others == 0) return work(0);
  work_ = &work;
  finished_.store(0, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_acq_rel);
  round_.notify_all();
  work(0);
  while (true) {
    const std::uint32_t finished = finished_.load(std::memory_order_acquire);
    if (finished == others) return;
    wait_while_equal(finished_, finished);
  }
}

double KernelThreads::processor_seconds() const {
  double seconds = base::thread_cpu_seconds();
  for (const auto& member : members_) {
    clockid_t clock{};
    if (pthread_getcpuclockid(member->thread, &clock) == 0) seconds += base::cpu_seconds_by(clock);
  }
  return seconds;
}

void KernelThreads::watch() {
  call([this](int part) {
    Watched& watched = watched_[static_cast<std::size_t>(part)];
    watched.preemptions_before = own_preemptions();
    watched.waiting.begin();
  });
}

LostTime KernelThreads::lost() {
  call([this](int part) {
    Watched& watched = watched_[static_cast<std::size_t>(part)];
    watched.waited = watched.waiting.waited();
    watched.preemptions = own_preemptions() - watched.preemptions_before;
  });
  LostTime lost;
  std::vector<std::optional<std::uint64_t>> waits;
  waits.reserve(watched_.size());
  for (const Watched& watched : watched_) {
    waits.push_back(watched.waited);
    lost.preemptions += watched.preemptions;
  }
  lost.longest_wait_seconds = longest_wait(waits);
  return lost;
}

}  // namespace kernelscape::measure
