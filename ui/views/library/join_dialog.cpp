#include "ui/views/library/join_dialog.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/visible_text.h"
#include "ui/models/session_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::views {
namespace {

constexpr int join_dialog_width = 440;

Result<std::vector<exchange::JoinSource>> sources_of(const store::Store& store,
                                                     const std::vector<store::SessionId>& sessions) {
  std::vector<exchange::JoinSource> sources;
  for (const store::SessionId session : sessions)
    sources.push_back(TRY(exchange::join_source_of_session(store, session)));
  return sources;
}

Result<std::vector<std::string>> read_missing(const std::filesystem::path& database,
                                              const std::vector<store::SessionId>& sessions) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  return exchange::missing_parameters(TRY(sources_of(store, sessions)));
}

Result<exchange::ImportOutcome> join_sessions(const std::filesystem::path& database,
                                              const std::vector<store::SessionId>& sessions,
                                              const exchange::JoinRequest& request) {
  store::Store store = TRY(store::Store::open(database));
  const std::vector<exchange::JoinSource> sources = TRY(sources_of(store, sessions));
  return exchange::import_joined(store, sources, request);
}

}  // namespace

JoinDialog::JoinDialog(workspace::Workspace& workspace, std::vector<workspace::SessionEntry> sessions,
                       QWidget* parent)
    : QDialog(parent),
      workspace_(workspace),
      sessions_(std::move(sessions)),
      name_(new QLineEdit(this)),
      form_(new QFormLayout),
      problem_(new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::warning, this)),
      join_(new QPushButton(tr("Join"), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Join sessions"));
  setMinimumWidth(join_dialog_width);
  QStringList titles;
  for (const workspace::SessionEntry& session : sessions_)
    titles.append(tr("%1 (session %2)")
                      .arg(models::session_title(session), QString::number(session.summary.record.id)));
  auto* text = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text, this);
  text->setTextFormat(Qt::PlainText);
  text->setText(tr("Makes one recorded space of the configurations of %1. The sessions stay as they are.")
                    .arg(titles.join(QStringLiteral(", "))));
  name_->setAccessibleName(tr("Name of the joined space"));
  name_->setText(tr("%1, joined").arg(models::session_title(sessions_.front())));
  problem_->setTextFormat(Qt::PlainText);
  problem_->hide();
  form_->setSpacing(style::grid_pixels);
  form_->addRow(tr("&Name"), name_);
  join_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(cancel);
  buttons->addWidget(join_);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(style::grid_pixels);
  column->addWidget(text);
  column->addLayout(form_);
  column->addWidget(problem_);
  column->addStretch(1);
  column->addLayout(buttons);
  connect(join_, &QPushButton::clicked, this, &JoinDialog::join);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  read_sessions();
}

QString JoinDialog::problem() const { return problem_->text(); }

std::vector<store::SessionId> JoinDialog::ids() const {
  std::vector<store::SessionId> ids;
  for (const workspace::SessionEntry& session : sessions_) ids.push_back(session.summary.record.id);
  return ids;
}

/** Reads the parameters of the sessions, so that the form can ask for missing ones. */
void JoinDialog::read_sessions() {
  join_->setEnabled(false);
  job_.start([database = workspace_.database(),
              ids = ids()](const workspace::JobControl&) { return read_missing(database, ids); },
             [this](const Result<std::vector<std::string>>& names) {
               if (!names) return show_problem(names.error());
               join_->setEnabled(true);
               add_missing(*names);
             });
}

void JoinDialog::add_missing(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    auto* field = new QLineEdit(this);
    const QString shown = QString::fromStdString(name);
    field->setAccessibleName(tr("Value of the parameter %1 in the sessions that lack it").arg(shown));
    field->setPlaceholderText(tr("its value in the sessions that lack it"));
    auto* label = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text, this);
    label->setTextFormat(Qt::PlainText);
    label->setText(shown);
    form_->addRow(label, field);
    missing_.emplace_back(name, field);
  }
}

void JoinDialog::join() {
  exchange::JoinRequest request{.name = name_->text().trimmed().toStdString()};
  if (request.name.empty())
    return show_problem({ErrorCode::InvalidArgument, tr("Enter a name.").toStdString(), {}});
  for (const auto& [parameter, field] : missing_) {
    const QString value = field->text().trimmed();
    if (value.isEmpty())
      return show_problem({ErrorCode::InvalidArgument,
                           tr("Enter the value that %1 had in the sessions that lack it.")
                               .arg(QString::fromStdString(base::quoted_line(parameter)))
                               .toStdString(),
                           {}});
    request.missing[parameter] = value.toStdString();
  }
  join_->setEnabled(false);
  problem_->hide();
  job_.start([database = workspace_.database(), ids = ids(),
              request](const workspace::JobControl&) { return join_sessions(database, ids, request); },
             [this](const Result<exchange::ImportOutcome>& outcome) {
               join_->setEnabled(true);
               if (!outcome) return show_problem(outcome.error());
               const exchange::ImportedSession& session = outcome->sessions.front();
               workspace_.notices().inform(tr("Joined %1 sessions as session %2, %3 configurations")
                                               .arg(sessions_.size())
                                               .arg(session.session)
                                               .arg(session.trials));
               for (const std::string& notice : outcome->notices)
                 workspace_.notices().warn(QString::fromStdString(notice));
               workspace_.watch().refresh();
               emit joined(session.session);
               accept();
             });
}

void JoinDialog::show_problem(const Error& error) {
  problem_->setText(QString::fromStdString(describe(error)));
  problem_->show();
}

}  // namespace kernelscape::views
