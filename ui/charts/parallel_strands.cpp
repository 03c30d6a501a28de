#include "ui/charts/parallel_strands.h"

#include <algorithm>
#include <cmath>

namespace kernelscape {
namespace {

constexpr int most_samples = 8;  // per column of a steep band
constexpr double rows_per_sample = 1.5;
constexpr int full = 255;

QRgb blended(QRgb below, const QColor& colour, float coverage) {
  const auto alpha = static_cast<int>(std::lround(colour.alphaF() * coverage * full));
  const int rest = full - alpha;
  const auto mixed = [&](int above, int under) { return (above * alpha + under * rest + full / 2) / full; };
  return qRgba(mixed(colour.red(), qRed(below)), mixed(colour.green(), qGreen(below)),
               mixed(colour.blue(), qBlue(below)), mixed(full, qAlpha(below)));
}

/** How much of each row of one column is covered. */
class Column {
 public:
  explicit Column(int rows) : coverage_(static_cast<std::size_t>(rows)), last_(-1), first_(rows) {}

  void add(double top, double bottom, float weight) {
    const int rows = static_cast<int>(coverage_.size());
    const int first = std::clamp(static_cast<int>(std::floor(top)), 0, rows - 1);
    const int last = std::clamp(static_cast<int>(std::floor(bottom)), 0, rows - 1);
    for (int row = first; row <= last; ++row) {
      const double covered = std::min(bottom, row + 1.0) - std::max(top, static_cast<double>(row));
      coverage_[static_cast<std::size_t>(row)] += weight * static_cast<float>(std::max(0.0, covered));
    }
    first_ = std::min(first_, first);
    last_ = std::max(last_, last);
  }

  void blend_into(QImage& image, int x, const QColor& colour) {
    for (int row = first_; row <= last_; ++row) {
      float& covered = coverage_[static_cast<std::size_t>(row)];
      auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
      if (covered > 0) line[x] = blended(line[x], colour, std::min(covered, 1.0F));
      covered = 0;
    }
    first_ = static_cast<int>(coverage_.size());
    last_ = -1;
  }

 private:
  std::vector<float> coverage_;
  int last_;
  int first_;
};

double height_at(const StrandBand& band, double x) {
  const double t = std::clamp((x - band.from.x()) / (band.to.x() - band.from.x()), 0.0, 1.0);
  return band.from.y() + (band.to.y() - band.from.y()) * t * t * (3 - 2 * t);
}

void paint_band(QImage& image, Column& column, const StrandBand& band) {
  const int first = std::max(0, static_cast<int>(std::ceil(band.from.x())));
  const int last = std::min(image.width(), static_cast<int>(std::floor(band.to.x())));
  for (int x = first; x < last; ++x) {
    const double rise = std::abs(height_at(band, x + 1) - height_at(band, x));
    const int samples = std::clamp(static_cast<int>(std::ceil(rise / rows_per_sample)), 1, most_samples);
    for (int sample = 0; sample < samples; ++sample) {
      const double middle = height_at(band, x + (sample + 0.5) / samples);
      column.add(middle - band.thickness / 2, middle + band.thickness / 2,
                 1.0F / static_cast<float>(samples));
    }
    column.blend_into(image, x, band.colour);
  }
}

}  // namespace

void paint_bands(QImage& image, const std::vector<StrandBand>& bands) {
  if (image.isNull()) return;
  Column column(image.height());
  for (const StrandBand& band : bands)
    if (band.to.x() > band.from.x()) paint_band(image, column, band);
}

}  // namespace kernelscape
