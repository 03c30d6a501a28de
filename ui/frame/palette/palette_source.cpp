#include "ui/frame/palette/palette_source.h"

#include <set>

#include "core/task/catalogue.h"
#include "ui/frame/menus.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame {
namespace {

// Frequent actions come before the numerous sessions and tasks, unless the search names one of these.
constexpr int rank_of_actions = 20;
constexpr int rank_of_networks = 15;
constexpr int rank_of_sessions = 10;
constexpr int rank_of_tasks = 10;

/** Returns true for the action that ends the program. */
bool ends_program(const views::ActionRegistry::Entry& entry) {
  return entry.declaration.id == QStringLiteral("quit.quit");
}

}  // namespace

PaletteSource::PaletteSource(workspace::Workspace& workspace, const views::ActionRegistry& actions,
                             SessionActions& sessions, QObject* parent)
    : QObject(parent), workspace_(workspace), actions_(actions), sessions_(sessions) {}

void PaletteSource::load_tasks() {
  job_.start([](const workspace::JobControl&) { return task::Catalogue::load_default(); },
             [this](const Result<task::Catalogue>& catalogue) {
               if (!catalogue) {
                 workspace_.notices().fail(catalogue.error());
                 return;
               }
               tasks_.clear();
               networks_.clear();
               for (const task::Task& task : catalogue->tasks())
                 tasks_.append(QString::fromStdString(task.name));
               for (const task::Network& network : catalogue->networks())
                 networks_.append(QString::fromStdString(network.name));
             });
}

std::vector<PaletteCommand> PaletteSource::commands(const QStringList& recent_networks) {
  std::vector<PaletteCommand> commands;
  add_actions(commands);
  QStringList networks = networks_ + recent_networks;
  networks.removeDuplicates();
  add_networks(commands, networks);
  add_sessions(commands);
  add_tasks(commands);
  return commands;
}

void PaletteSource::add_actions(std::vector<PaletteCommand>& commands) {
  for (const views::ActionRegistry::Entry& entry : actions_.entries()) {
    if (!is_reachable(entry)) continue;
    PaletteCommand command;
    command.text = entry.declaration.text;
    command.detail = entry.declaration.help.isEmpty() ? entry.declaration.menu : entry.declaration.help;
    command.shortcut = entry.action->shortcut().toString(QKeySequence::NativeText);
    command.icon = entry.action->icon();
    command.rank = rank_of_actions;
    command.last = ends_program(entry);
    command.run = [action = entry.action] { action->trigger(); };
    commands.push_back(std::move(command));
  }
}

void PaletteSource::add_sessions(std::vector<PaletteCommand>& commands) {
  const QIcon session_icon = style::icon(QStringLiteral("library"));
  std::set<store::StudyId> collections;
  for (const workspace::SessionCollection& collection : *workspace_.collections()) {
    const store::StudyId id = collection.summary.id;
    collections.insert(id);
    PaletteCommand command;
    command.text = tr("Open collection %1: %2").arg(id).arg(models::collection_title(collection));
    command.detail = tr("%1, %2").arg(models::collection_count_text(collection),
                                      QString::fromStdString(collection.device));
    command.icon = session_icon;
    command.rank = rank_of_sessions;
    command.subject = models::collection_title(collection);
    command.run = [this, id] { sessions_.open_collection(id); };
    commands.push_back(std::move(command));
  }
  for (const workspace::SessionEntry& session : *workspace_.sessions()) {
    if (collections.contains(session.summary.study.value_or(0))) continue;
    const store::SessionId id = session.summary.record.id;
    PaletteCommand command;
    command.text = tr("Open session %1: %2").arg(id).arg(models::session_title(session));
    command.detail =
        QStringLiteral("%1, %2").arg(models::session_state_text(session), models::session_best_text(session));
    command.icon = session_icon;
    command.rank = rank_of_sessions;
    command.subject = models::session_title(session);
    command.run = [this, id] { sessions_.open(id); };
    command.number = QString::number(id);
    commands.push_back(std::move(command));
  }
}

void PaletteSource::add_networks(std::vector<PaletteCommand>& commands, const QStringList& networks) {
  const QIcon network_icon = style::icon(QStringLiteral("network"));
  for (const QString& network : networks) {
    PaletteCommand command;
    command.text = tr("Tune network %1").arg(network);
    command.detail = tr("Shows its layers and the set-up of a new study");
    command.icon = network_icon;
    command.rank = rank_of_networks;
    command.subject = network;
    command.run = [this, network] { emit network_requested(network); };
    commands.push_back(std::move(command));
  }
}

void PaletteSource::add_tasks(std::vector<PaletteCommand>& commands) {
  const QIcon task_icon = style::icon(QStringLiteral("tune"));
  for (const QString& task : tasks_) {
    PaletteCommand command;
    command.text = tr("Tune %1").arg(task);
    command.detail = tr("Fills the form for a new run");
    command.icon = task_icon;
    command.rank = rank_of_tasks;
    command.subject = task;
    command.run = [this, task] { emit task_requested(task); };
    commands.push_back(std::move(command));
  }
}

}  // namespace kernelscape::frame
