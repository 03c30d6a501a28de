#pragma once

#include <QVariant>
#include <optional>

class QComboBox;
class QLayout;

namespace kernelscape::views {

/** Makes a box of choices that is as wide as `characters`. @param name accessible name */
QComboBox* make_choice_box(const QString& name, int characters);

/** Adds a box to a line, behind its label. */
void add_labelled_box(QLayout* line, const QString& text, QComboBox* box);

/**
 * Fills a box and keeps its choice by its data; if the choice no longer exists, the first entry is chosen.
 * Equal entries are not replaced, so that an open list does not change under the mouse.
 */
void fill_choice_box(QComboBox* box, const QStringList& texts, const QVariantList& data,
                     const QVariant& chosen);

/** Returns the data of an entry that stands for a position in a list, or for none. */
QVariant position_data(std::optional<std::size_t> position);

/** Returns the position that the current entry of a box stands for; see position_data(). */
std::optional<std::size_t> position_of(const QComboBox* box);

}  // namespace kernelscape::views
