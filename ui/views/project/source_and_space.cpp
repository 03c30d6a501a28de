#include "ui/views/project/source_and_space.h"

#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/views/project/changed_code.h"
#include "ui/views/project/project_space_view.h"
#include "ui/views/project/project_text.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int letters_beside = 40;  ///< minimum width of each part, in letters, for showing both side by side
constexpr qsizetype max_marked_characters = 1 << 20;  ///< in both versions of a file together
const QList<int> halves_parts = {600, 400};           ///< shares of the available width

}  // namespace

std::vector<ShownFile> shown_files(const project::KernelProject& project,
                                   const project::KernelProject* before) {
  const std::vector<ProjectFile> earlier =
      before != nullptr ? project_texts(*before) : std::vector<ProjectFile>();
  std::vector<ShownFile> files;
  for (const ProjectFile& file : project_texts(project)) {
    ShownFile& shown = files.emplace_back();
    shown.name = file.name;
    shown.dialect = file.dialect;
    const auto known = std::ranges::find(earlier, file.name, &ProjectFile::name);
    const QString known_text = known == earlier.end() ? QString() : known->text;
    shown.changed = before != nullptr && (known == earlier.end() || known->text != file.text);
    if (shown.changed && known_text.size() + file.text.size() <= max_marked_characters) {
      shown.code = changed_code(known_text, file.text);
    } else {
      shown.code.text = file.text;
    }
  }
  return files;
}

void show_files(QTabWidget& tabs, const std::vector<ShownFile>& files) {
  for (const ShownFile& file : files) {
    auto* code = new widgets::CodeView(widgets::CodeLanguage::C, &tabs);
    code->setAccessibleName(QTabWidget::tr("Source of %1").arg(file.name));
    code->set_dialect(file.dialect);
    if (file.code.marks.empty()) {
      code->set_code(file.code.text);
    } else {
      code->set_marked_code(file.code);
    }
    // An ampersand in a file name is not a mnemonic.
    const QString name = QString(file.name).replace(QLatin1Char('&'), QLatin1String("&&"));
    tabs.addTab(code, file.changed ? QTabWidget::tr("%1 (changed)").arg(name) : name);
  }
}

SourceAndSpace::SourceAndSpace(QWidget* parent) : QWidget(parent) {
  title_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  title_->setContentsMargins(8, 4, 8, 4);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  files_ = new QTabWidget;
  files_->setDocumentMode(true);
  files_->setAccessibleName(tr("Files of the project"));
  space_ = new ProjectSpaceView;
  halves_ = new QSplitter(Qt::Horizontal);
  halves_->addWidget(files_);
  halves_->addWidget(space_);
  halves_->setStretchFactor(0, 3);
  halves_->setStretchFactor(1, 2);
  halves_->setChildrenCollapsible(false);
  halves_->setSizes(halves_parts);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(title_);
  column->addWidget(halves_, 1);
  show_project(nullptr, {});
}

void SourceAndSpace::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const int letters = fontMetrics().horizontalAdvance(QLatin1Char('m')) * letters_beside;
  const Qt::Orientation fitting = width() < letters ? Qt::Vertical : Qt::Horizontal;
  if (halves_->orientation() == fitting) return;
  halves_->setOrientation(fitting);
  halves_->setSizes(halves_parts);
}

void SourceAndSpace::show_project(const std::shared_ptr<const project::KernelProject>& project,
                                  const std::string& content_hash) {
  if (project != nullptr && content_hash == shown_hash_) return;
  shown_hash_ = project != nullptr ? content_hash : std::string();
  const int place = files_->currentIndex();
  while (files_->count() > 0) delete files_->widget(0);
  if (project == nullptr) {
    title_->setText(tr("The task is no project of your own kernel"));
    space_->show_facts({tr("Parameters"), {}}, {});
    return;
  }
  title_->setText(project_title(*project));
  title_->setToolTip(title_->text());
  show_files(*files_, shown_files(*project));
  for (int file = 0; file < files_->count(); ++file)
    space_->link(*qobject_cast<widgets::CodeView*>(files_->widget(file)));
  if (place > 0 && place < files_->count()) files_->setCurrentIndex(place);
  space_->show_facts(parameter_facts(*project), other_facts(*project));
}

}  // namespace kernelscape::views
