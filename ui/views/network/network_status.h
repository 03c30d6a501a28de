#pragma once

class QVBoxLayout;
class QWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class HeadlineBar;
class NetworkForm;
class ShownNetwork;

/** The lines above a network: its time or its progress, and which layer is being tuned, and why. */
class NetworkStatus {
 public:
  /** Adds the lines to a column. @param parent of the lines */
  NetworkStatus(QVBoxLayout& column, QWidget* parent);

  /** Shows the state of a study, or of the set-up in `form` if no study is shown. */
  void show(const ShownNetwork& shown, const NetworkForm& form);

 private:
  HeadlineBar* headline_;
  widgets::ThemedLabel* turn_;
};

}  // namespace kernelscape::views
