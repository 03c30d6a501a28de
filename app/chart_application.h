#pragma once

#include <QApplication>
#include <array>
#include <memory>

namespace kernelscape::app {

/** The Qt application that charts need, without a display or a window. */
class ChartApplication {
 public:
  ChartApplication();

 private:
  std::array<char, 12> name_{"kernelscape"};
  std::array<char*, 2> arguments_{name_.data(), nullptr};
  int argument_count_ = 1;
  std::unique_ptr<QApplication> application_;
};

}  // namespace kernelscape::app
