#include "ui/frame/first_start.h"

#include <QStackedWidget>

#include "core/base/read_file.h"
#include "core/task/data_folder.h"
#include "ui/frame/first_start_page.h"
#include "ui/frame/run_follower.h"

namespace kernelscape::frame {
namespace {

constexpr double minute_budget = 1;

/** Returns the path of the built-in recorded space that the page offers to explore. */
std::filesystem::path bundled_recording() {
  return task::data_folder() / "recorded/resnet18-C12-conv2d-packed.ksrec";
}

}  // namespace

FirstStart::FirstStart(workspace::Workspace& workspace, PreferencesFile& preferences,
                       workspace::FileImport& imports, RunFollower& runs, QStackedWidget& stack,
                       QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      preferences_(preferences),
      imports_(imports),
      runs_(runs),
      stack_(stack),
      page_(new FirstStartPage(&stack)) {
  stack_.addWidget(page_);
  connect(page_, &FirstStartPage::tune_requested, this, &FirstStart::start_first_run);
  connect(page_, &FirstStartPage::explore_requested, this, &FirstStart::explore_bundled);
  connect(page_, &FirstStartPage::dismissed, this, &FirstStart::dismissed);
}

bool FirstStart::shown() const { return stack_.currentWidget() == page_; }

void FirstStart::show() {
  greeting_ = true;
  page_->set_can_explore(base::path_exists(bundled_recording()));
  stack_.setCurrentWidget(page_);
  emit opened();
  page_->setFocus();
}

void FirstStart::offer() {
  if (!preferences_.get().first_start_dismissed && workspace_.sessions()->empty()) show();
}

void FirstStart::leave() {
  if (std::exchange(greeting_, false))
    preferences_.change([](Preferences& p) { p.first_start_dismissed = true; });
}

void FirstStart::start_first_run() {
  session::TuningRequest request;
  request.task = "resnet18/C6";
  request.budget = {.trials = 0, .minutes = minute_budget};
  request.measuring.threads = preferences_.get().threads;
  runs_.start(request);
  emit dismissed();
}

void FirstStart::explore_bundled() {
  knobs_promised_ = true;
  imports_.start({QString::fromStdString(bundled_recording().string())});
  emit dismissed();
}

}  // namespace kernelscape::frame
