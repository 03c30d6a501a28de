#include "tests/gui/document_pictures.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QHash>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fleet/target.h"
#include "core/study/known_predictors.h"
#include "core/study/study.h"
#include "tests/gui/tour.h"
#include "ui/frame/notices/information_bar.h"
#include "ui/models/predictor_text.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/explore/topology_page.h"
#include "ui/views/fleet/fleet_view.h"
#include "ui/views/learn/learn_view.h"
#include "ui/views/library/library_view.h"
#include "ui/views/network/network_view.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/series_panel.h"
#include "ui/views/tune/tune_view.h"
#include "ui/widgets/library_table.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::gui_tests {
namespace {

constexpr QSize window_size(1440, 900);
constexpr qsizetype max_colours = 256;
constexpr std::int64_t tasks_of_a_busy_worker = 10;

/** A picture of the documents. */
struct DocumentPicture {
  const char* name;  ///< of its file, without suffix
  style::ThemeChoice theme;
  Status (*show)(Tour&);  ///< brings the window into the state that is to be seen
};

Error missing(std::string what) {
  return {ErrorCode::NotFound, std::move(what),
          "make the database again: tests/gui/tour --documents, without a database"};
}

/** Opens the session, measured here, of that task and tuner; it may still be on its way into the database. */
Status open_session(Tour& tour, const std::string& task, const std::string& tuner) {
  std::optional<store::SessionId> found;
  const auto look = [&] {
    for (const workspace::SessionEntry& session : *tour.workspace().sessions()) {
      const store::SessionRecord& record = session.summary.record;
      if (store::measured_here(record) && record.task_name == task && record.tuner == tuner)
        found = record.id;
    }
    return found.has_value();
  };
  if (!QTest::qWaitFor(look, deadline_milliseconds))
    return std::unexpected(missing(fmt::format("the database has no session of {} with {}", task, tuner)));
  if (!tour.open(*found)) return fail(ErrorCode::Environment, "the session can't be read");
  tour.workspace().set_current_row(tour.workspace().source()->headline.row);
  return {};
}

/** The newest study for that purpose. */
Result<store::StudyId> find_study(Tour& tour, study::Purpose purpose) {
  const store::Store store = TRY(store::Store::open(tour.workspace().database(), store::OpenMode::ReadOnly));
  for (const store::StudySummary& study : TRY(store.studies().all()))
    if (TRY(study::study_from_json(study.record.study_json, {})).purpose == purpose) return study.record.id;
  return std::unexpected(missing(fmt::format("the database has no {} study", study::to_string(purpose))));
}

/** As a user chooses an entry. */
void choose(QComboBox& box, int index) {
  box.setCurrentIndex(index);
  emit box.activated(index);
}

Status show_tune(Tour& tour) {
  tour.view<views::TuneView>("Tune");
  return open_session(tour, "resnet18/C6", "gp");
}

/** In Tune, the first of the figures of the tuner whose title begins so. */
Status show_figure(Tour& tour, const std::string& task, const std::string& tuner, const QString& title) {
  views::SeriesPanel& series = tour.view<views::TuneView>("Tune").charts().series();
  TRY(open_session(tour, task, tuner));
  int index = -1;
  const auto look = [&] {
    index = series.picker().findText(title, Qt::MatchStartsWith);
    return index >= 0;
  };
  if (!QTest::qWaitFor(look, deadline_milliseconds))
    return std::unexpected(
        missing(fmt::format("the session of {} has no figure \"{}\"", task, title.toStdString())));
  choose(series.picker(), index);
  return {};
}

Status show_model(Tour& tour) { return show_figure(tour, "bert-base/L01", "gp", "Relevance of columns"); }

Status show_adatune(Tour& tour) {
  return show_figure(tour, "resnet18/C2", "adatune", "Predicted performance");
}

Status show_page_of_explore(Tour& tour, const QString& action, const std::string& task,
                            const std::string& tuner) {
  tour.view<views::ExploreView>("Explore");
  TRY(open_session(tour, task, tuner));
  tour.trigger(action);
  return {};
}

Status show_explore(Tour& tour) {
  return show_page_of_explore(tour, "explore.knobs", "resnet18/C10", "grid");
}

Status show_parallel(Tour& tour) {
  return show_page_of_explore(tour, "explore.parallel", "resnet18/C6", "gp");
}

Status show_topology(Tour& tour) {
  TRY(show_page_of_explore(tour, "explore.topology", "opevo-cpu/MM1", "opevo"));
  QTest::qWait(settle_milliseconds);
  for (QComboBox* box : tour.window().findChild<views::TopologyPage*>()->findChildren<QComboBox*>()) {
    const int index = box->findText("tile_k");
    if (index < 0) continue;
    choose(*box, index);
    return {};
  }
  return std::unexpected(missing("the session has no knob tile_k"));
}

Status show_compare(Tour& tour) {
  auto& compare = tour.view<views::CompareView>("Compare");
  compare.open_study(TRY(find_study(tour, study::Purpose::Comparison)));
  (void)QTest::qWaitFor([&] { return compare.snapshot() != nullptr; }, deadline_milliseconds);
  return {};
}

Status show_network(Tour& tour) {
  auto& network = tour.view<views::NetworkView>("Network");
  network.open_study(TRY(find_study(tour, study::Purpose::Network)));
  (void)QTest::qWaitFor([&] { return network.snapshot() != nullptr; }, deadline_milliseconds);
  return {};
}

Status show_library(Tour& tour) {
  auto* table = tour.view<views::LibraryView>("Library").findChild<widgets::LibraryTable*>();
  (void)QTest::qWaitFor([&] { return table->model()->rowCount() > 0; }, deadline_milliseconds);
  return {};
}

Status show_learn(Tour& tour) {
  auto& learn = tour.view<views::LearnView>("Learn");
  const store::Store store = TRY(store::Store::open(tour.workspace().database(), store::OpenMode::ReadOnly));
  const std::vector<study::KnownPredictor> predictors = TRY(study::known_predictors(store));
  if (predictors.empty()) return std::unexpected(missing("there is no bundled predictor"));
  learn.open_predictor(models::predictor_key(predictors.front()));
  return {};
}

/** The fleet that the only session of the database is measured by, once all of its workers are busy. */
Status show_fleet(Tour& tour) {
  if (!QTest::qWaitFor([&] { return !tour.workspace().sessions()->empty(); }, deadline_milliseconds))
    return std::unexpected(missing("no session is measured by a fleet"));
  const std::string target = tour.workspace().sessions()->front().summary.record.target_name;
  const fleet::TargetName fleet = TRY(fleet::parse_fleet_target(target));
  tour.view<views::FleetView>("Fleet").offer({.address = fleet.address.text(), .password_file = {}});
  const auto busy = [](const fleet::WorkerState& worker) { return worker.done >= tasks_of_a_busy_worker; };
  const auto all_are_busy = [&] {
    const workspace::FleetStatePointer& state = tour.workspace().fleet_watch().state();
    return state && state->workers.size() > 1 && std::ranges::all_of(state->workers, busy);
  };
  if (!QTest::qWaitFor(all_are_busy, deadline_milliseconds))
    return fail(ErrorCode::Environment, "the fleet's workers do nothing");
  return {};
}

constexpr std::array pictures{
    DocumentPicture{"tune", style::ThemeChoice::Light, show_tune},
    DocumentPicture{"model", style::ThemeChoice::Light, show_model},
    DocumentPicture{"adatune", style::ThemeChoice::Light, show_adatune},
    DocumentPicture{"explore", style::ThemeChoice::Light, show_explore},
    DocumentPicture{"dark", style::ThemeChoice::Dark, show_parallel},
    DocumentPicture{"topology", style::ThemeChoice::Light, show_topology},
    DocumentPicture{"compare", style::ThemeChoice::Light, show_compare},
    DocumentPicture{"network", style::ThemeChoice::Light, show_network},
    DocumentPicture{"library", style::ThemeChoice::Light, show_library},
    DocumentPicture{"learn", style::ThemeChoice::Light, show_learn},
    DocumentPicture{"fleet", style::ThemeChoice::Light, show_fleet},
};

/** The most frequent colours, none of which is within `distance` of another one in every channel. */
QList<QRgb> distinct_colours(const std::vector<std::pair<qsizetype, QRgb>>& by_count, int distance) {
  QList<QRgb> table;
  const auto is_near = [distance](QRgb a, QRgb b) {
    return std::abs(qRed(a) - qRed(b)) <= distance && std::abs(qGreen(a) - qGreen(b)) <= distance &&
           std::abs(qBlue(a) - qBlue(b)) <= distance;
  };
  for (const auto& [count, colour] : by_count) {
    if (std::ranges::any_of(table, [&](QRgb other) { return is_near(colour, other); })) continue;
    table.append(colour);
    if (table.size() > max_colours) break;
  }
  return table;
}

/** With a palette of the colours that are seen most, without dithering: Qt's own palette would speckle plain
 * areas. */
QImage with_few_colours(const QImage& picture) {
  const QImage opaque = picture.convertToFormat(QImage::Format_RGB32);
  QHash<QRgb, qsizetype> counts;
  for (int y = 0; y < opaque.height(); ++y)
    for (int x = 0; x < opaque.width(); ++x) ++counts[opaque.pixel(x, y)];
  std::vector<std::pair<qsizetype, QRgb>> by_count;
  for (auto entry = counts.cbegin(); entry != counts.cend(); ++entry)
    by_count.emplace_back(entry.value(), entry.key());
  std::ranges::sort(by_count, std::greater());
  QList<QRgb> table;
  for (int distance = 0; table.isEmpty() || table.size() > max_colours; ++distance)
    table = distinct_colours(by_count, distance);
  return opaque.convertToFormat(QImage::Format_Indexed8, table);
}

/** What covers the content of the window; empty: nothing. */
QString shown_notice(Tour& tour) {
  for (const frame::InformationBar* bar : tour.window().findChildren<frame::InformationBar*>())
    if (bar->isVisible()) return bar->text();
  return {};
}

Status take(const DocumentPicture& picture, const std::filesystem::path& database, const QString& folder) {
  constexpr int smallest_file = 0;  // "quality" of a PNG is how little it is compressed
  apply_theme(picture.theme);
  Tour tour(database, window_size, session::run_on_this_machine);
  TRY(picture.show(tour));
  const QImage image = tour.picture();
  if (const QString notice = shown_notice(tour); !notice.isEmpty())
    return fail(ErrorCode::Environment, "a notice stands over the content: " + notice.toStdString());
  const QString path = QStringLiteral("%1/%2.png").arg(folder, QLatin1String(picture.name));
  if (!with_few_colours(image).save(path, "PNG", smallest_file))
    return fail(ErrorCode::Environment, path.toStdString() + " can't be written");
  return {};
}

}  // namespace

int take_document_pictures(const std::filesystem::path& database, const QString& folder,
                           const QStringList& names) {
  for (const QString& name : names) {
    const auto picture = std::ranges::find(
        pictures, name, [](const DocumentPicture& known) { return QString::fromLatin1(known.name); });
    if (picture == pictures.end()) {
      fmt::print(stderr, "tour: no picture of the documents is named {}\n", name.toStdString());
      return 2;
    }
    if (const Status taken = take(*picture, database, folder); !taken) {
      fmt::print(stderr, "tour: {}: {}\n", picture->name, describe(taken.error()));
      return 1;
    }
    fmt::print("{}\n", picture->name);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace kernelscape::gui_tests
