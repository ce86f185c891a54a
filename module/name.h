/* SPDX-License-Identifier: GPL-2.0 */
/* Names as people write them to sysfs. */
#ifndef SPINDELAY_NAME_H
#define SPINDELAY_NAME_H

#include <linux/string.h>
#include <linux/types.h>

/**
 * is_spelling - whether a text is a name, exactly, one newline allowed behind it
 * @text: the text
 * @length: its bytes
 * @spelling: the name
 */
static inline bool is_spelling(const char *text, size_t length,
			       const char *spelling)
{
	if (length && text[length - 1] == '\n')
		length--;
	return length == strlen(spelling) && !memcmp(text, spelling, length);
}

#endif /* SPINDELAY_NAME_H */
