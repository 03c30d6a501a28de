#pragma once

#include "ui/views/explore/explore_page.h"

namespace kernelscape::charts {
class TimelineChart;
}  // namespace kernelscape::charts

namespace kernelscape::views {

/** Shows what the tuner, the builders and the devices did over session time, with trials as blocks. */
class TimelinePage : public ExplorePage {
  Q_OBJECT

 public:
  explicit TimelinePage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  bool has_content(const figures::ShownTrials& shown) override;
  void follow_selection() override;

 protected:
  void compute() override;
  void show_current() override;

 private:
  charts::TimelineChart* chart_ = nullptr;
};

}  // namespace kernelscape::views
