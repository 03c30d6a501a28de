#include "ui/charts/landscape/parallel_bands.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::charts {
namespace {

constexpr int max_samples = 8;  // samples per column of a steep band
constexpr double rows_per_sample = 1.5;
constexpr int full = 255;

/** A colour split into its channels once instead of for each pixel. */
struct Paint {
  explicit Paint(const QColor& colour)
      : red(colour.red()), green(colour.green()), blue(colour.blue()), alpha(colour.alphaF() * full) {}

  QRgb over(QRgb below, float coverage) const {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and once a pixel
    const int opaque = static_cast<int>(alpha * coverage + 0.5F);
    const int rest = full - opaque;
    const auto mixed = [&](int above, int under) {
      return (above * opaque + under * rest + full / 2) / full;
    };
    return qRgba(mixed(red, qRed(below)), mixed(green, qGreen(below)), mixed(blue, qBlue(below)),
                 mixed(full, qAlpha(below)));
  }

  int red;
  int green;
  int blue;
  float alpha;
};

/** The pixels of an image of 32 bits. */
struct Pixels {
  explicit Pixels(QImage& image)
      : first(reinterpret_cast<QRgb*>(image.bits())),
        width(image.width()),
        height(image.height()),
        stride(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb))) {}

  QRgb& at(int x, int y) const { return first[y * stride + x]; }

  QRgb* first;
  int width;
  int height;
  qsizetype stride;
};

/** The coverage of each row of one column. */
class Coverage {
 public:
  explicit Coverage(int rows) : coverage_(static_cast<std::size_t>(rows)), first_(rows) {}

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

  void blend_into(const Pixels& pixels, int x, const Paint& paint) {
    for (int row = first_; row <= last_; ++row) {
      float& covered = coverage_[static_cast<std::size_t>(row)];
      QRgb& pixel = pixels.at(x, row);
      if (covered > 0) pixel = paint.over(pixel, std::min(covered, 1.0F));
      covered = 0;
    }
    first_ = static_cast<int>(coverage_.size());
    last_ = -1;
  }

 private:
  std::vector<float> coverage_;
  int last_ = -1;
  int first_;
};

double height_at(const PaintedBand& band, double x) {
  const double t = std::clamp((x - band.from.x()) / (band.to.x() - band.from.x()), 0.0, 1.0);
  return band.from.y() + (band.to.y() - band.from.y()) * t * t * (3 - 2 * t);
}

void paint_band(const Pixels& pixels, Coverage& column, const PaintedBand& band) {
  const Paint paint(band.colour);
  const int first = std::max(0, static_cast<int>(std::ceil(band.from.x())));
  const int last = std::min(pixels.width, static_cast<int>(std::floor(band.to.x())));
  for (int x = first; x < last; ++x) {
    const double rise = std::abs(height_at(band, x + 1) - height_at(band, x));
    const int samples = std::clamp(static_cast<int>(std::ceil(rise / rows_per_sample)), 1, max_samples);
    for (int sample = 0; sample < samples; ++sample) {
      const double middle = height_at(band, x + (sample + 0.5) / samples);
      column.add(middle - band.thickness / 2, middle + band.thickness / 2,
                 1.0F / static_cast<float>(samples));
    }
    column.blend_into(pixels, x, paint);
  }
}

}  // namespace

void paint_bands(QImage& image, const std::vector<PaintedBand>& bands) {
  if (image.isNull()) return;
  const Pixels pixels(image);
  Coverage column(pixels.height);
  for (const PaintedBand& band : bands)
    if (band.to.x() > band.from.x()) paint_band(pixels, column, band);
}

}  // namespace kernelscape::charts
