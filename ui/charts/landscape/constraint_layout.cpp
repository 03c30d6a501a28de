#include "ui/charts/landscape/constraint_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace kernelscape::charts {
namespace {

constexpr double max_disc_radius = 9;
constexpr double min_disc_radius = 1.5;
constexpr double disc_share = 0.42;  // share of the minimum distance between two discs
constexpr double rim_clearance = 10;
constexpr double disc_clearance = 3;
constexpr double widest_node = 150;
constexpr double narrowest_node = 34;  // minimum width of a node with text
constexpr double column_gap = 14;
constexpr int settling_sweeps = 150;

double distance_between(QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

/** Points of an ellipse's line by arc length, clockwise from the top. */
class EllipseLine {
 public:
  explicit EllipseLine(const QRectF& ellipse) {
    for (std::size_t step = 0; step <= steps; ++step) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(step) / steps;
      const QPointF point(ellipse.center().x() + ellipse.width() / 2 * std::sin(angle),
                          ellipse.center().y() - ellipse.height() / 2 * std::cos(angle));
      way_.push_back(step == 0 ? 0 : way_.back() + distance_between(points_.back(), point));
      points_.push_back(point);
    }
  }

  /** Returns the point at a share of the arc length. @param share 0 to 1 */
  QPointF at(double share) const {
    const double wanted = share * way_.back();
    const auto after = std::ranges::upper_bound(way_, wanted);
    const std::size_t next =
        std::clamp<std::size_t>(static_cast<std::size_t>(after - way_.begin()), 1, steps);
    const double length = way_[next] - way_[next - 1];
    const double part = length > 0 ? (wanted - way_[next - 1]) / length : 0;
    return points_[next - 1] + (points_[next] - points_[next - 1]) * part;
  }

 private:
  static constexpr std::size_t steps = 2048;
  std::vector<QPointF> points_;
  std::vector<double> way_;
};

/** Places discs on the line, with a free place between two knobs. */
void place_rim(const analysis::ConstraintNet& net, ConstraintLayout& layout, std::vector<QPointF>& centres) {
  std::vector<double> places;
  std::vector<std::pair<double, double>> groups;  // range of each knob's discs
  double place = 0;
  for (std::size_t node = 0; node < net.rim; ++node) {
    const bool first = node == 0 || net.nodes[node].knob != net.nodes[node - 1].knob;
    if (first && node > 0) ++place;
    if (first) groups.emplace_back(place, place);
    groups.back().second = place;
    places.push_back(place++);
  }
  const EllipseLine line(layout.ellipse);
  const double all = place + 1;
  for (const double one : places) centres.push_back(line.at((one + 0.5) / all));
  for (const auto& [begin, end] : groups) layout.knobs.push_back(line.at(((begin + end) / 2 + 0.5) / all));
  double nearest = 2 * max_disc_radius / disc_share;
  for (std::size_t a = 0; a < centres.size(); ++a)
    for (std::size_t b = a + 1; b < centres.size(); ++b)
      nearest = std::min(nearest, distance_between(centres[a], centres[b]));
  layout.radius = std::min(max_disc_radius, disc_share * nearest);
}

/** Places (seats) for boxes of one size in rows inside the rim, every other row shifted by half a box. */
class Seats {
 public:
  Seats(const ConstraintLayout& layout, std::span<const QPointF> rim) : rim_(rim), radius_(layout.radius) {
    const double inset = 2 * (layout.radius + rim_clearance);
    inside_ = QRectF(0, 0, std::max(0.0, layout.ellipse.width() - inset),
                     std::max(0.0, layout.ellipse.height() - inset));
    inside_.moveCenter(layout.ellipse.center());
  }

  std::vector<QPointF> of(QSizeF box, QSizeF pitch) const {
    std::vector<QPointF> seats;
    const int rows = static_cast<int>(inside_.height() / pitch.height());
    const int columns = static_cast<int>(inside_.width() / pitch.width() / 2) + 1;
    for (int row = 0; row < rows; ++row)
      for (int column = -columns; column <= columns; ++column) {
        const QPointF shift((column + (row % 2 == 0 ? 0.0 : 0.5)) * pitch.width(),
                            (row - (rows - 1) / 2.0) * pitch.height());
        const QPointF centre = inside_.center() + shift;
        if (fits(QRectF(centre - QPointF(box.width(), box.height()) / 2, box))) seats.push_back(centre);
      }
    return seats;
  }

 private:
  bool fits(const QRectF& box) const {
    for (const QPointF& corner : {box.topLeft(), box.topRight(), box.bottomLeft(), box.bottomRight()}) {
      const QPointF away = corner - inside_.center();
      if (std::hypot(2 * away.x() / inside_.width(), 2 * away.y() / inside_.height()) > 1) return false;
    }
    return std::ranges::none_of(rim_, [&](QPointF disc) {
      const QPointF nearest(std::clamp(disc.x(), box.left(), box.right()),
                            std::clamp(disc.y(), box.top(), box.bottom()));
      return distance_between(disc, nearest) < radius_ + disc_clearance;
    });
  }

  std::span<const QPointF> rim_;
  double radius_;
  QRectF inside_;
};

struct Seating {
  std::vector<QPointF> seats;
  QSizeF box;
  bool labelled = false;
};

/**
 * Returns the widest boxes for which there are enough seats, with some to spare; otherwise squares without
 * text.
 */
std::optional<Seating> find_seats(const Seats& seats, std::size_t count, double widest, double height) {
  const std::size_t wanted = count + count / 4;
  for (double width = widest; width >= narrowest_node; width *= 0.9)
    for (const double gap : {1.6, 1.2, 0.8}) {
      const QSizeF box(width, height);
      std::vector<QPointF> found = seats.of(box, QSizeF(width + column_gap, height * (1 + gap)));
      if (found.size() >= wanted) return Seating{std::move(found), box, true};
    }
  for (double side = 14; side >= 3; side *= 0.85) {
    std::vector<QPointF> found = seats.of(QSizeF(side, side), QSizeF(1.5 * side, 1.5 * side));
    if (found.size() >= count) return Seating{std::move(found), QSizeF(side, side), false};
  }
  return std::nullopt;
}

/** Moves every inner node to the mean position of its neighbours, with a fixed rim (Tutte). */
void settle(const analysis::ConstraintNet& net, QPointF middle, std::vector<QPointF>& centres) {
  centres.resize(net.nodes.size(), middle);
  for (int sweep = 0; sweep < settling_sweeps; ++sweep)
    for (std::size_t node = net.rim; node < net.nodes.size(); ++node) {
      const std::vector<std::size_t>& near = net.nodes[node].neighbours;
      if (near.empty()) continue;
      QPointF sum;
      for (const std::size_t other : near) sum += centres[other];
      centres[node] = sum / static_cast<double>(near.size());
    }
}

/**
 * Assigns each inner node a separate seat near its settled position, then shortens the edges by moves and
 * exchanges.
 */
class SeatAssignment {
 public:
  SeatAssignment(const analysis::ConstraintNet& net, const std::vector<QPointF>& seats,
                 std::vector<QPointF>& centres)
      : net_(net), seats_(seats), centres_(centres), seat_of_(net.nodes.size()), taken_by_(seats.size()) {}

  void run() {
    take_nearest();
    const int passes = net_.nodes.size() < 150 ? 6 : 2;
    for (int pass = 0; pass < passes; ++pass)
      if (!improve()) break;
  }

 private:
  void take_nearest() {
    for (std::size_t node = net_.rim; node < net_.nodes.size(); ++node) {
      std::optional<std::size_t> nearest;
      for (std::size_t seat = 0; seat < seats_.size(); ++seat) {
        if (taken_by_[seat]) continue;
        if (!nearest || distance_between(seats_[seat], centres_[node]) + 1e-9 <
                            distance_between(seats_[*nearest], centres_[node]))
          nearest = seat;
      }
      sit(node, *nearest);
    }
  }

  void sit(std::size_t node, std::size_t seat) {
    seat_of_[node] = seat;
    taken_by_[seat] = node;
    centres_[node] = seats_[seat];
  }

  double length(std::size_t node) const {
    double sum = 0;
    for (const std::size_t other : net_.nodes[node].neighbours)
      sum += distance_between(centres_[node], centres_[other]);
    return sum;
  }

  /** Returns true if the edges are shorter with the node at the seat; the node then stays there. */
  bool try_seat(std::size_t node, std::size_t seat) {
    const std::size_t old_seat = seat_of_[node];
    const std::optional<std::size_t> other = taken_by_[seat];
    const auto lengths = [&] { return length(node) + (other ? length(*other) : 0); };
    const double before = lengths();
    taken_by_[old_seat].reset();
    sit(node, seat);
    if (other) sit(*other, old_seat);
    if (lengths() + 1e-6 < before) return true;
    taken_by_[seat].reset();
    sit(node, old_seat);
    if (other) sit(*other, seat);
    return false;
  }

  bool improve() {
    bool better = false;
    for (std::size_t node = net_.rim; node < net_.nodes.size(); ++node)
      for (std::size_t seat = 0; seat < seats_.size(); ++seat)
        if (seat != seat_of_[node] && try_seat(node, seat)) better = true;
    return better;
  }

  const analysis::ConstraintNet& net_;
  const std::vector<QPointF>& seats_;
  std::vector<QPointF>& centres_;
  std::vector<std::size_t> seat_of_;
  std::vector<std::optional<std::size_t>> taken_by_;
};

}  // namespace

QPointF ConstraintLayout::outwards(QPointF on_line) const {
  const QPointF away = on_line - ellipse.center();
  const QPointF normal(away.x() / (ellipse.width() * ellipse.width()),
                       away.y() / (ellipse.height() * ellipse.height()));
  return normal / std::max(1e-12, std::hypot(normal.x(), normal.y()));
}

ConstraintLayout place_constraints(const analysis::ConstraintNet& net, std::span<const double> widths,
                                   double line_height, const QRectF& ellipse) {
  ConstraintLayout layout;
  layout.ellipse = ellipse;
  if (net.nodes.size() > max_constraint_nodes || ellipse.width() < 1 || ellipse.height() < 1) return layout;
  std::vector<QPointF> centres;
  place_rim(net, layout, centres);
  if (layout.radius < min_disc_radius) return layout;
  double widest = narrowest_node;
  for (std::size_t node = net.rim; node < net.nodes.size(); ++node)
    widest = std::clamp(widths[node], widest, widest_node);
  const std::optional<Seating> seating =
      find_seats(Seats(layout, centres), net.nodes.size() - net.rim, widest, line_height + 6);
  if (!seating) return layout;
  settle(net, ellipse.center(), centres);
  SeatAssignment(net, seating->seats, centres).run();
  layout.labelled = seating->labelled;
  for (std::size_t node = 0; node < net.nodes.size(); ++node) {
    QSizeF size(2 * layout.radius, 2 * layout.radius);
    if (node >= net.rim) size = seating->box;
    if (node >= net.rim && layout.labelled)
      size.setWidth(std::clamp(widths[node], narrowest_node, size.width()));
    layout.boxes.emplace_back(centres[node] - QPointF(size.width(), size.height()) / 2, size);
  }
  return layout;
}

}  // namespace kernelscape::charts
