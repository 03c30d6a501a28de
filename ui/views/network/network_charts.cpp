#include "ui/views/network/network_charts.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QEvent>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <optional>

#include "ui/figures/network_figures.h"
#include "ui/figures/registry.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

/** Returns the text of a chart's tab; the chart itself has its own title. */
QString short_name(const charts::Chart& chart) {
  if (qobject_cast<const charts::ModelLatencyChart*>(&chart) != nullptr) return NetworkCharts::tr("Latency");
  if (qobject_cast<const charts::NetworkCurveChart*>(&chart) != nullptr) return NetworkCharts::tr("Curve");
  if (qobject_cast<const charts::LayerTimeChart*>(&chart) != nullptr) return NetworkCharts::tr("Layers");
  return chart.title();
}

constexpr int min_charts_beside = 2 * 320;  ///< pixels, at the usual text size

}  // namespace

NetworkCharts::NetworkCharts(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), tab_bar_(new QTabBar(this)), splitter_(new QSplitter(this)) {
  setAccessibleName(tr("Charts of the network"));
  tab_bar_->setAccessibleName(accessibleName());
  tab_bar_->setDrawBase(false);
  tab_bar_->setExpanding(false);
  tab_bar_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  splitter_->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(0, 0, style::grid_pixels, 0);
  head->setSpacing(style::grid_pixels / 4);
  head->addWidget(tab_bar_, 1);
  make_axis_buttons(*head);
  layout->addLayout(head);
  layout->addWidget(splitter_, 1);
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::Network)) add_chart(*kind);
  connect(tab_bar_, &QTabBar::currentChanged, this, &NetworkCharts::show_tab);
  make_tabs();
}

void NetworkCharts::add_chart(const figures::Kind& kind) {
  charts::Chart* chart = kind.make_chart().release();
  kinds_.push_back(&kind);
  charts_.push_back(chart);
  splitter_->addWidget(chart);
  connect(chart, &charts::Chart::maximise_requested, this, [this, chart] { toggle_maximised(chart); });
  connect(chart, &charts::Chart::notified, this, &NetworkCharts::notified);
  if (auto* latency = qobject_cast<charts::ModelLatencyChart*>(chart))
    latency_ = latency;
  else if (auto* curve = qobject_cast<charts::NetworkCurveChart*>(chart))
    curve_ = curve;
  if (auto* layers = qobject_cast<charts::LayerTimeChart*>(chart))
    connect(layers, &charts::LayerTimeChart::layer_activated, this, &NetworkCharts::layer_activated);
  if (auto* roofs = qobject_cast<charts::RooflineChart*>(chart))
    connect(roofs, &charts::RooflineChart::layer_activated, this, &NetworkCharts::layer_activated);
}

void NetworkCharts::make_axis_buttons(QHBoxLayout& row) {
  auto* axis = new QButtonGroup(this);
  const auto add = [&](charts::ProgressX x, const QString& text, const QString& help) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(help);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setChecked(x == x_);
    axis->addButton(button);
    row.addWidget(button);
    axis_buttons_.push_back(button);
    connect(button, &QToolButton::toggled, this, [this, x](bool on) {
      if (!on || x_ == x) return;
      x_ = x;
      show_curves();
    });
  };
  add(charts::ProgressX::Seconds, tr("Time"), tr("The curve against session time"));
  add(charts::ProgressX::Trials, tr("Trials"), tr("The curve against trials of all layers"));
}

void NetworkCharts::show_curves() {
  if (network_ == nullptr) return;
  if (curve_ != nullptr) figures::network_curve_figure(*network_, x_).show_in(*curve_);
  if (latency_ != nullptr) figures::model_latency_figure(*network_, x_).show_in(*latency_);
}

void NetworkCharts::set_network(const study::NetworkSource& network) {
  network_ = network;
  if (network_ == nullptr) {
    job_.cancel();
    stale_ = false;
    for (charts::Chart* chart : charts_) chart->set_notice(tr("Reading …"));
    return;
  }
  compute();
}

/**
 * Computes the figures of visible charts only, because the roofline needs loop nests. A running job is
 * allowed to finish, so that constantly changing data is still shown.
 */
void NetworkCharts::compute() {
  if (job_.busy()) {
    stale_ = true;
    return;
  }
  stale_ = false;
  figures::Source source;
  source.network = network_;
  source.database = workspace_.database();
  std::vector<bool> wanted;
  for (const charts::Chart* chart : charts_) wanted.push_back(!chart->isHidden());
  job_.start(
      [source = std::move(source), kinds = kinds_,
       wanted = std::move(wanted)](const workspace::JobControl& control) {
        std::vector<std::optional<figures::Figure>> figures;
        for (std::size_t place = 0; place < kinds.size(); ++place) {
          const figures::Kind* kind = kinds[place];
          std::optional<figures::Figure>& figure = figures.emplace_back();
          if (!wanted[place] || !control.proceed()) continue;
          std::vector<figures::Figure> made = kind->figures(source, control);
          if (!made.empty()) figure = std::move(made.front());
        }
        return figures;
      },
      [this](const std::vector<std::optional<figures::Figure>>& figures) {
        show_figures(figures);
        if (stale_ && network_ != nullptr) compute();
      });
}

void NetworkCharts::show_figures(const std::vector<std::optional<figures::Figure>>& figures) {
  for (std::size_t place = 0; place < figures.size(); ++place)
    if (figures[place]) figures[place]->show_in(*charts_[place]);
  if (x_ != charts::ProgressX::Seconds) show_curves();
}

QSize NetworkCharts::minimumSizeHint() const {
  QSize largest;
  for (const charts::Chart* chart : charts_) largest = largest.expandedTo(chart->minimumSizeHint());
  return largest + QSize(0, tab_bar_->sizeHint().height());
}

void NetworkCharts::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void NetworkCharts::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit();
}

void NetworkCharts::fit() {
  const bool wide = width() >= min_charts_beside * style::text_scale();
  if (wide == wide_) return;
  wide_ = wide;
  make_tabs();
}

/** Makes the tabs. The curve and the layers belong together; charts of another question are separate tabs. */
void NetworkCharts::make_tabs() {
  const charts::Chart* shown =
      charts_.empty() || tabs_.empty()
          ? nullptr
          : tabs_[static_cast<std::size_t>(std::max(0, tab_bar_->currentIndex()))].charts.front();
  tabs_.clear();
  for (std::size_t place = 0; place < charts_.size(); ++place) {
    if (wide_ && place == 1) {
      tabs_.front().charts.push_back(charts_[place]);
      tabs_.front().name = tr("Curve and layers");
    } else {
      tabs_.push_back({short_name(*charts_[place]), {charts_[place]}});
    }
  }
  {
    const QSignalBlocker quiet(tab_bar_);
    while (tab_bar_->count() > 0) tab_bar_->removeTab(0);
    for (const Tab& tab : tabs_) tab_bar_->addTab(tab.name);
    const auto same = std::ranges::find_if(
        tabs_, [&](const Tab& tab) { return std::ranges::find(tab.charts, shown) != tab.charts.end(); });
    if (same != tabs_.end()) tab_bar_->setCurrentIndex(static_cast<int>(same - tabs_.begin()));
  }
  tab_bar_->setVisible(tabs_.size() > 1);
  show_tab();
}

void NetworkCharts::show_tab() {
  if (tabs_.empty()) return;
  const Tab& tab = tabs_[static_cast<std::size_t>(std::max(0, tab_bar_->currentIndex()))];
  if (std::ranges::find(tab.charts, maximised_) == tab.charts.end()) maximised_ = nullptr;
  for (charts::Chart* chart : charts_) {
    const bool of_tab = std::ranges::find(tab.charts, chart) != tab.charts.end();
    chart->setVisible(of_tab && (maximised_ == nullptr || maximised_ == chart));
  }
  const bool curve =
      (curve_ != nullptr && !curve_->isHidden()) || (latency_ != nullptr && !latency_->isHidden());
  for (QToolButton* button : axis_buttons_) button->setVisible(curve);
  if (network_ != nullptr) compute();
}

void NetworkCharts::toggle_maximised(charts::Chart* chart) {
  maximised_ = maximised_ == chart ? nullptr : chart;
  show_tab();
}

}  // namespace kernelscape::views
