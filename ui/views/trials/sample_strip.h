#pragma once

#include <QWidget>
#include <vector>

namespace kernelscape {

/** The samples of a trial in order of measuring, downwards, along an axis of time, over their quartiles. */
class SampleStrip : public QWidget {
  Q_OBJECT

 public:
  explicit SampleStrip(QWidget* parent = nullptr);

  void set_samples(std::vector<double> seconds);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<double> seconds_;
};

/** "ms", "µs" or another that suits a time, and what seconds are multiplied with. */
struct TimeUnit {
  QString name;
  double factor = 1;
};
TimeUnit unit_for(double seconds);

}  // namespace kernelscape
