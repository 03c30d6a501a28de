#pragma once

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <utility>
#include <vector>

namespace kernelscape::markdown {

/** A README with its path in the repository, such as "core/tuner/README.md". */
struct Page {
  QString path;
  QString text;

  QString folder() const { return path.section('/', 0, -2); }
};

struct Table {
  QStringList header;
  std::vector<QStringList> rows;
};

/** All pages of the repository by path; what was built is none of it. */
inline std::vector<Page> readmes(const QString& root) {
  std::vector<Page> pages;
  QDirIterator files(root, {"README.md"}, QDir::Files, QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    const QString path = QDir(root).relativeFilePath(file.fileName());
    if (!path.startsWith("build/") && file.open(QIODevice::ReadOnly))
      pages.push_back({path, QString::fromUtf8(file.readAll())});
  }
  return pages;
}

/** Every match of the pattern's first group. */
inline QStringList matches(const QString& text, const QString& pattern) {
  QStringList found;
  auto match = QRegularExpression(pattern, QRegularExpression::MultilineOption).globalMatch(text);
  while (match.hasNext()) found << match.next().captured(1);
  return found;
}

inline const QString fenced_block = "^```\\w*\\n((?:.*\\n)*?)```$";

/** Lines of the blocks that show commands or output. */
inline QStringList block_lines(const QString& text) {
  return matches(text, fenced_block).join("").split('\n', Qt::SkipEmptyParts);
}

inline QString without_blocks(QString text) {
  return text.remove(QRegularExpression(fenced_block, QRegularExpression::MultilineOption));
}

/** `code` as it is marked in a line, a cell, or a whole page without its blocks. */
inline QStringList code_spans(const QString& text) { return matches(text, "`([^`]+)`"); }

/** What links and pictures lead to. */
inline QStringList links(const QString& text) { return matches(without_blocks(text), "\\]\\(([^)]+)\\)"); }

/** The headings as links name them after a #. */
inline QStringList anchors(const QString& text) {
  QStringList found;
  for (QString heading : matches(without_blocks(text), "^#+ (.+)$")) {
    heading = heading.toLower().remove(QRegularExpression("[^\\w -]"));
    found << heading.replace(' ', '-');
  }
  return found;
}

inline QStringList cells(const QString& line) {
  QStringList found;
  for (const QString& cell : line.mid(1, line.lastIndexOf('|') - 1).split('|')) found << cell.trimmed();
  return found;
}

inline std::vector<Table> tables(const QString& text) {
  std::vector<Table> found;
  bool inside = false;
  for (const QString& line : without_blocks(text).split('\n')) {
    if (!line.startsWith('|')) {
      inside = false;
    } else if (!std::exchange(inside, true)) {
      found.push_back({cells(line), {}});
    } else if (!line.startsWith("|---")) {
      found.back().rows.push_back(cells(line));
    }
  }
  return found;
}

}  // namespace kernelscape::markdown
