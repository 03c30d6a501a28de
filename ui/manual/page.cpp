#include "ui/manual/page.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

// Q_INIT_RESOURCE must stand outside any namespace.
static void register_manual() { Q_INIT_RESOURCE(manual); }

namespace kernelscape::manual {
namespace {

QString manual_words(const char* text) { return QCoreApplication::translate("Manual", text); }

QString text_of_page(const QString& path) {
  QFile file(QStringLiteral(":/manual/") + path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(file.readAll());
}

/** Returns a heading without the Markdown syntax of emphasis, code and links. */
QString plain_heading(QString heading) {
  static const QRegularExpression link(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
  heading.replace(link, QStringLiteral("\\1"));
  return heading.remove(QLatin1Char('`')).remove(QLatin1Char('*')).trimmed();
}

std::vector<Section> sections_of(const QString& markdown) {
  std::vector<Section> sections;
  bool code = false;
  for (const QString& line : markdown.split(QLatin1Char('\n'))) {
    if (line.startsWith(QLatin1String("```"))) code = !code;
    qsizetype level = 0;
    while (level < line.size() && line[level] == QLatin1Char('#')) ++level;
    const bool heading = !code && level > 0 && level < line.size() && line[level] == QLatin1Char(' ');
    if (heading) {
      const QString title = plain_heading(line.mid(level + 1));
      sections.push_back({title, anchor_of(title), static_cast<int>(level), {}});
    } else if (!sections.empty()) {
      sections.back().text += line + QLatin1Char('\n');
    }
  }
  return sections;
}

Page page_of(const QString& path) {
  Page page{path, path, text_of_page(path), {}};
  page.sections = sections_of(page.markdown);
  if (!page.sections.empty()) page.title = page.sections.front().heading;
  return page;
}

Chapter chapter(const char* title, std::initializer_list<const char*> paths) {
  Chapter made{manual_words(title), {}};
  for (const char* path : paths) made.pages.push_back(page_of(QString::fromLatin1(path)));
  return made;
}

std::vector<Chapter> read_chapters() {
  register_manual();
  std::vector<Chapter> chapters;
  chapters.push_back(
      chapter(QT_TRANSLATE_NOOP("Manual", "Using Kernelscape"),
              {"README.md", "ui/views/README.md", "app/command_line/README.md", "core/project/README.md",
               "data/kernels/README.md", "data/kernels/program/README.md", "data/tasks/README.md",
               "core/network/README.md", "core/exchange/README.md", "core/session/README.md",
               "python/README.md", "ui/manual/glossary.md"}));
  chapters.push_back(chapter(QT_TRANSLATE_NOOP("Manual", "How it works"),
                             {"core/measure/README.md", "core/measure/gpu/README.md", "core/fleet/README.md",
                              "core/tuner/README.md", "core/schedule/README.md", "core/graph/README.md",
                              "core/predictor/README.md", "data/predictors/README.md"}));
  chapters.push_back(chapter(QT_TRANSLATE_NOOP("Manual", "Comparing tuners"),
                             {"core/study/README.md", "data/studies/README.md", "data/recorded/README.md",
                              "core/simulation/README.md"}));
  chapters.push_back(chapter(QT_TRANSLATE_NOOP("Manual", "The source tree"),
                             {"ARCHITECTURE.md", "CONTRIBUTING.md", "core/README.md", "core/store/README.md",
                              "ui/README.md", "ui/charts/README.md", "ui/figures/README.md",
                              "tests/README.md", "tests/benchmarks/README.md", "tests/gpu/README.md"}));
  return chapters;
}

QString excerpt_around(const QString& text, const QString& word) {
  constexpr qsizetype before = 40;
  constexpr qsizetype length = 160;
  const qsizetype found = std::max<qsizetype>(text.indexOf(word, 0, Qt::CaseInsensitive), 0);
  const qsizetype first = std::max<qsizetype>(found - before, 0);
  const QString cut = text.mid(first, length).simplified();
  return (first > 0 ? QStringLiteral("… ") : QString()) + cut +
         (first + length < text.size() ? QStringLiteral(" …") : QString());
}

/** Returns the relevance of a section for a search; 0 if a word is missing. */
qsizetype relevance(const Section& section, const QStringList& words) {
  constexpr qsizetype heading_weight = 1000;
  qsizetype sum = 0;
  for (const QString& word : words) {
    const qsizetype found = section.text.count(word, Qt::CaseInsensitive) +
                            heading_weight * section.heading.count(word, Qt::CaseInsensitive);
    if (found == 0) return 0;
    sum += found;
  }
  return sum;
}

}  // namespace

const std::vector<Chapter>& manual_chapters() {
  static const std::vector<Chapter> chapters = read_chapters();
  return chapters;
}

const Page* manual_page(const QString& path) {
  for (const Chapter& chapter : manual_chapters()) {
    for (const Page& page : chapter.pages) {
      if (page.path == path) return &page;
    }
  }
  return nullptr;
}

QString anchor_of(const QString& heading) {
  QString anchor;
  for (const QChar letter : heading.toLower()) {
    if (letter.isLetterOrNumber() || letter == QLatin1Char('_') || letter == QLatin1Char('-')) {
      anchor += letter;
    } else if (letter.isSpace()) {
      anchor += QLatin1Char('-');
    }
  }
  return anchor;
}

Place resolve_link(const QString& from_path, const QString& link) {
  const QString anchor = link.section(QLatin1Char('#'), 1);
  const QString target = link.section(QLatin1Char('#'), 0, 0);
  if (target.isEmpty()) return {from_path, anchor};
  const QString folder =
      from_path.contains(QLatin1Char('/')) ? from_path.section(QLatin1Char('/'), 0, -2) : QStringLiteral(".");
  const QString path = QDir::cleanPath(folder + QLatin1Char('/') + target);
  if (manual_page(path) != nullptr) return {path, anchor};
  const QString inside =
      path == QLatin1String(".") ? QStringLiteral("README.md") : path + QStringLiteral("/README.md");
  if (manual_page(inside) != nullptr) return {inside, anchor};
  return {};
}

std::vector<Hit> search_manual(const QString& words, std::size_t most) {
  const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  std::vector<std::pair<qsizetype, Hit>> found;
  if (wanted.isEmpty()) return {};
  for (const Chapter& chapter : manual_chapters()) {
    for (const Page& page : chapter.pages) {
      for (const Section& section : page.sections) {
        const qsizetype sum = relevance(section, wanted);
        if (sum == 0) continue;
        found.push_back({sum,
                         {{page.path, section.anchor},
                          section.heading,
                          page.title,
                          excerpt_around(section.text, wanted.front())}});
      }
    }
  }
  std::ranges::stable_sort(found, std::greater{}, [](const auto& hit) { return hit.first; });
  std::vector<Hit> hits;
  for (auto& [sum, hit] : found) {
    if (hits.size() == most) break;
    hits.push_back(std::move(hit));
  }
  return hits;
}

}  // namespace kernelscape::manual
