#include "ui/models/fleet_model.h"

#include <QDateTime>
#include <QFont>
#include <QSize>
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::models {
namespace {

QString fleet_string(const std::string& text) { return QString::fromStdString(text); }

/** Returns "2 of 3 workers serve". */
QString serving_text(std::ptrdiff_t serving, std::ptrdiff_t all) {
  if (all == 1)
    return serving == 1 ? FleetWorkerModel::tr("1 worker") : FleetWorkerModel::tr("1 worker, left");
  return serving == all ? FleetWorkerModel::tr("%1 workers").arg(style::format_count(all))
                        : FleetWorkerModel::tr("%1 of %2 workers serve")
                              .arg(style::format_count(serving), style::format_count(all));
}

/** Returns "12 waiting, 2 in flight"; empty if the queue is empty. */
QString queue_text(const fleet::Queue& queue) {
  if (queue.waiting == 0 && queue.in_hand == 0) return {};
  return FleetWorkerModel::tr("%1 waiting, %2 in flight")
      .arg(style::format_count(queue.waiting), style::format_count(queue.in_hand));
}

const fleet::DeviceClass* device_of(const fleet::WorkerState& worker) {
  return worker.identity.devices.empty() ? nullptr : &worker.identity.devices.front();
}

FleetRow heading_of(const std::string& name, const std::vector<const fleet::WorkerState*>& workers,
                    const fleet::State& state) {
  FleetRow row{.device_class = name, .heading = true};
  const auto serving =
      std::ranges::count_if(workers, [](const fleet::WorkerState* worker) { return worker->serves(); });
  QStringList parts{name.empty() ? FleetWorkerModel::tr("Builders without a device") : fleet_string(name),
                    serving_text(serving, std::ssize(workers))};
  for (const fleet::Queue& queue : state.queues)
    if (!queue.builds && queue.name == name) parts.append(queue_text(queue));
  parts.removeAll(QString());
  row.text = parts.join(QStringLiteral(" \u00b7 "));
  if (const fleet::DeviceClass* device = device_of(*workers.front())) {
    QStringList facts{fleet_string(device->target.device), fleet_string(device->target.instructions())};
    for (const std::string& fact : device->hardware) facts.append(fleet_string(fact));
    facts.append(FleetWorkerModel::tr("built with %1").arg(fleet_string(device->tool_chain)));
    facts.removeAll(QString());
    row.facts = facts.join(QLatin1Char('\n'));
  }
  return row;
}

QVariant fleet_alignment(bool text) {
  return QVariant(Qt::AlignVCenter | (text ? Qt::AlignLeft : Qt::AlignRight));
}

bool is_worker_text(int column) {
  return column == FleetWorkerModel::WorkerColumn || column == FleetWorkerModel::StateColumn ||
         column >= FleetWorkerModel::HostColumn;
}

template <std::size_t count>
QVariant header_of(int section, Qt::Orientation orientation, int role,
                   const std::array<QString, count>& titles, bool text) {
  if (orientation != Qt::Horizontal || section < 0 || section >= int{count}) return {};
  if (role == Qt::TextAlignmentRole) return fleet_alignment(text);
  if (role == Qt::DisplayRole) return titles[static_cast<std::size_t>(section)];
  return {};
}

}  // namespace

std::vector<FleetRow> fleet_rows(const fleet::State& state) {
  std::map<std::string, std::vector<const fleet::WorkerState*>> classes;
  for (const fleet::WorkerState& worker : state.workers) {
    const fleet::DeviceClass* device = device_of(worker);
    classes[device != nullptr ? device->id : std::string()].push_back(&worker);
  }
  std::vector<FleetRow> rows;
  const auto add = [&](const std::string& name, std::vector<const fleet::WorkerState*>& workers) {
    std::ranges::stable_partition(workers, [](const fleet::WorkerState* worker) { return worker->serves(); });
    rows.push_back(heading_of(name, workers, state));
    for (const fleet::WorkerState* worker : workers)
      rows.push_back({.device_class = name, .worker = *worker});
  };
  for (auto& [name, workers] : classes)
    if (!name.empty()) add(name, workers);
  if (const auto builders = classes.find(std::string()); builders != classes.end()) add({}, builders->second);
  return rows;
}

void FleetWorkerModel::set_rows(std::vector<FleetRow> rows) {
  if (std::ranges::equal(rows, rows_, {}, &FleetRow::key, &FleetRow::key)) {
    rows_ = std::move(rows);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int FleetWorkerModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int FleetWorkerModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString FleetWorkerModel::text(const fleet::WorkerState& worker, int column) {
  const fleet::DeviceClass* device = device_of(worker);
  const bool gone = worker.state == "left";
  switch (column) {
    case WorkerColumn:
      return fleet_string(worker.identity.id);
    case StateColumn:
      return fleet_string(worker.state);
    case LoadColumn:
      return gone ? style::no_number() : style::format_percent(worker.load);
    case TemperatureColumn:
      return worker.temperature_celsius > 0 && !gone
                 ? tr("%1 \u00b0C").arg(style::format_count(worker.temperature_celsius))
                 : style::no_number();
    case DoneColumn:
      return style::format_count(worker.done);
    case DeliveriesColumn:
      return style::format_count(worker.deliveries);
    case SeenColumn:
      return tr("%1 ago").arg(style::format_duration(worker.seen_seconds));
    case HostColumn:
      return fleet_string(worker.identity.host);
    case DeviceColumn:
      return device != nullptr ? fleet_string(device->target.device) : style::no_number();
    case BuildersColumn:
      return worker.identity.builders > 0 ? style::format_count(worker.identity.builders)
                                          : style::no_number();
    default:
      return fleet_string(worker.message);
  }
}

QVariant FleetWorkerModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const FleetRow& shown = row(index.row());
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      if (shown.heading) return column == WorkerColumn ? shown.text : QString();
      return text(shown.worker, column);
    case Qt::ToolTipRole:
      if (shown.heading) return QString(shown.text + QLatin1Char('\n') + shown.facts);
      return text(shown.worker, column);
    case Qt::TextAlignmentRole:
      return fleet_alignment(shown.heading || is_worker_text(column));
    case Qt::ForegroundRole:
      if (shown.heading) return {};
      if (column == SaysColumn) return style::colours().warning;
      return shown.worker.state == "left" ? QVariant(style::colours().muted_text) : QVariant();
    case Qt::FontRole: {
      if (!shown.heading) return {};
      QFont font = style::font_of(style::TextSize::Normal);
      font.setBold(true);
      return font;
    }
    case Qt::SizeHintRole:
      return shown.heading ? QVariant(QSize(0, 0)) : QVariant();  // A heading spans all columns, and must not
                                                                  // widen any column.
    case ShareRole:
      return shown.heading || column != LoadColumn || shown.worker.state == "left" ? -1.0 : shown.worker.load;
    default:
      return {};
  }
}

QVariant FleetWorkerModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const std::array<QString, column_count> titles = {
      tr("Worker"),    tr("State"), tr("Load"),   tr("Temperature"), tr("Tasks done"), tr("Deliveries"),
      tr("Last seen"), tr("Host"),  tr("Device"), tr("Builders"),    tr("Message")};
  return header_of(section, orientation, role, titles, is_worker_text(section));
}

void FleetQueueModel::set_queues(std::vector<fleet::Queue> queues) {
  const bool as_many = queues.size() == queues_.size();
  if (!as_many) beginResetModel();
  queues_ = std::move(queues);
  if (!as_many) return endResetModel();
  if (!queues_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

int FleetQueueModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(queues_.size());
}

int FleetQueueModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant FleetQueueModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole) return fleet_alignment(index.column() <= KindColumn);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const fleet::Queue& queue = queues_[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case QueueColumn:
      return fleet_string(queue.name);
    case KindColumn:
      return queue.builds ? tr("build") : tr("run");
    case WaitingColumn:
      return style::format_count(queue.waiting);
    default:
      return style::format_count(queue.in_hand);
  }
}

QVariant FleetQueueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const std::array<QString, column_count> titles = {tr("Queue"), tr("Type"), tr("Waiting"), tr("In flight")};
  return header_of(section, orientation, role, titles, section <= KindColumn);
}

void DeadLetterModel::set_letters(std::vector<fleet::DeadLetter> letters) {
  const auto same = [](const fleet::DeadLetter& a, const fleet::DeadLetter& b) {
    return a.task == b.task && a.seconds == b.seconds && a.reason == b.reason && a.worker == b.worker;
  };
  if (std::ranges::equal(letters, letters_, same)) return;
  beginResetModel();
  letters_ = std::move(letters);
  endResetModel();
}

int DeadLetterModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(letters_.size());
}

int DeadLetterModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant DeadLetterModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole) return fleet_alignment(true);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const fleet::DeadLetter& letter = letters_[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case GivenUpColumn:
      return QDateTime::fromSecsSinceEpoch(letter.seconds).toString(QStringLiteral("yyyy-MM-dd hh:mm:ss"));
    case ReasonColumn:
      return fleet_string(letter.reason);
    case TellerColumn:
      return fleet_string(letter.worker);
    default:
      return fleet_string(letter.task);
  }
}

QVariant DeadLetterModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const std::array<QString, column_count> titles = {tr("Given up"), tr("Reason"), tr("Reported by"),
                                                    tr("Task")};
  return header_of(section, orientation, role, titles, true);
}

}  // namespace kernelscape::models
