// SPDX-License-Identifier: GPL-2.0
/*
 * The knob: the words that it takes, what they come to, and what the keys say
 * while it turns. The file tested is compiled into the suite: a knob of its own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#define __DISABLE_EXPORTS
#include <kunit/test.h>
#include <linux/jump_label.h>
#include <asm/cpufeature.h>

/* Systems with and without SB, whatever the machine. */
static bool system_has_sb;

static bool system_has(unsigned int cap)
{
	return cap == ARM64_HAS_SB ? system_has_sb : cpus_have_cap(cap);
}

/* Each flip of a key is looked at. */
static void look_between_flips(void);

static void enable_key(struct static_key *key)
{
	static_key_enable(key);
	look_between_flips();
}

static void disable_key(struct static_key *key)
{
	static_key_disable(key);
	look_between_flips();
}

#define cpus_have_cap(cap) system_has(cap)
#define static_key_enable(key) enable_key(key)
#define static_key_disable(key) disable_key(key)
#include "../../../module/delay.c"

static u32 flips;
static u32 wrong_flips;

static bool fits_keys(u32 effective)
{
	bool sb = static_key_enabled(&spindelay_key_sb);
	bool other = static_key_enabled(&spindelay_key_other);

	if (effective == SPIN_DELAY_sb || effective == SPIN_DELAY_isb)
		return sb == (effective == SPIN_DELAY_sb) && !other;
	return other && !sb;
}

/* What stands in between is ISB; else it is what the knob says already. */
static void look_between_flips(void)
{
	bool between = fits_keys(SPIN_DELAY_isb) || fits_keys(knob.effective);

	flips++;
	if (!between || !(knob.generation & 1))
		wrong_flips++;
}

static int choose(const char *word)
{
	return delay_choose(word, strlen(word));
}

static char *page_of(struct kunit *test)
{
	char *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

static void expect_knob(struct kunit *test, const char *choice,
			const char *effective)
{
	char *page = page_of(test), wanted[32];

	snprintf(wanted, sizeof(wanted), "%s\n", choice);
	KUNIT_EXPECT_EQ(test, delay_show_choice(page), strlen(wanted));
	KUNIT_EXPECT_STREQ(test, page, wanted);
	snprintf(wanted, sizeof(wanted), "%s\n", effective);
	KUNIT_EXPECT_EQ(test, delay_show_effective(page), strlen(wanted));
	KUNIT_EXPECT_STREQ(test, page, wanted);
	KUNIT_EXPECT_TRUE(test, fits_keys(knob.effective));
}

/* Where the knob stands before each test. */
#define BEFORE "nop"

static int delay_test_init(struct kunit *test)
{
	system_has_sb = true;
	KUNIT_ASSERT_EQ(test, choose(BEFORE), 0);
	return 0;
}

/* ---- the words ---- */

static const struct word {
	const char *text;
	size_t length;
	bool sb;
	int answer;
	const char *choice;
	const char *effective;
} words[] = {
#define TAKEN(text, sb, choice, effective)                       \
	{                                                        \
		text, sizeof(text) - 1, sb, 0, choice, effective \
	}
#define REFUSED(text, sb, answer)                                  \
	{                                                          \
		text, sizeof(text) - 1, sb, answer, BEFORE, BEFORE \
	}
	TAKEN("auto", true, "auto", "sb"),
	TAKEN("auto", false, "auto", "isb"),
	TAKEN("none", true, "none", "none"),
	TAKEN("nop", true, "nop", "nop"),
	TAKEN("yield", true, "yield", "yield"),
	TAKEN("isb", true, "isb", "isb"),
	TAKEN("isb", false, "isb", "isb"),
	TAKEN("sb", true, "sb", "sb"),
	TAKEN("dsb-isb", true, "dsb-isb", "dsb-isb"),
	TAKEN("auto\n", true, "auto", "sb"),
	TAKEN("isb\n", true, "isb", "isb"),
	REFUSED("sb", false, -EOPNOTSUPP),
	REFUSED("sb\n", false, -EOPNOTSUPP),
	REFUSED("", true, -EINVAL),
	REFUSED("\n", true, -EINVAL),
	REFUSED("\n\n", true, -EINVAL),
	REFUSED("isb\n\n", true, -EINVAL),
	REFUSED("\nisb", true, -EINVAL),
	REFUSED(" isb", true, -EINVAL),
	REFUSED("isb ", true, -EINVAL),
	REFUSED("isb\0", true, -EINVAL),
	REFUSED("i\0sb", true, -EINVAL),
	REFUSED("is", true, -EINVAL),
	REFUSED("isbs", true, -EINVAL),
	REFUSED("ISB", true, -EINVAL),
	REFUSED("dsb_isb", true, -EINVAL),
	REFUSED("bogus", true, -EINVAL),
	REFUSED("3", true, -EINVAL),
	/* The bench's alone. */
	REFUSED("chain", true, -EINVAL),
	REFUSED("knob", true, -EINVAL),
	REFUSED("wfe", true, -EINVAL),
	REFUSED("wfet", true, -EINVAL),
};

static void describe_word(const struct word *word, char *description)
{
	snprintf(description, KUNIT_PARAM_DESC_SIZE, "'%*pE' %s SB: %s",
		 (int)word->length, word->text, word->sb ? "with" : "without",
		 word->answer == -EINVAL     ? "EINVAL" :
		 word->answer == -EOPNOTSUPP ? "EOPNOTSUPP" :
					       word->effective);
}

KUNIT_ARRAY_PARAM(words, words, describe_word);

static void test_word(struct kunit *test)
{
	const struct word *word = test->param_value;
	u32 generation = delay_generation();

	system_has_sb = word->sb;
	KUNIT_EXPECT_EQ(test, delay_choose(word->text, word->length),
			word->answer);
	KUNIT_EXPECT_EQ(test, delay_generation() - generation,
			word->answer ? 0 : 2);
	expect_knob(test, word->choice, word->effective);
}

/* The text of a store need not end in a NUL. */
static void test_length(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, delay_choose("isbogus", 3), 0);
	expect_knob(test, "isb", "isb");
	KUNIT_EXPECT_EQ(test, delay_choose("isb", 2), -EINVAL);
	expect_knob(test, "isb", "isb");
}

/* ---- turning it ---- */

static const char *const turns[] = { "none", "nop",  "yield",  "isb",
				     "sb",   "auto", "dsb-isb" };

static void test_turns(struct kunit *test)
{
	size_t from, to;

	wrong_flips = 0;
	flips = 0;
	for (from = 0; from < ARRAY_SIZE(turns); from++) {
		for (to = 0; to < ARRAY_SIZE(turns); to++) {
			KUNIT_EXPECT_EQ(test, choose(turns[from]), 0);
			KUNIT_EXPECT_EQ(test, choose(turns[to]), 0);
			KUNIT_EXPECT_TRUE_MSG(test, fits_keys(knob.effective),
					      "from %s to %s", turns[from],
					      turns[to]);
		}
	}
	KUNIT_EXPECT_GT(test, flips, 0);
	KUNIT_EXPECT_EQ(test, wrong_flips, 0);
	KUNIT_EXPECT_EQ(test, delay_generation() & 1, 0);
}

static void test_parameter(struct kunit *test)
{
	char *said = delay;

	delay = "yield";
	KUNIT_EXPECT_EQ(test, delay_init(), 0);
	expect_knob(test, "yield", "yield");
	delay = "bogus";
	KUNIT_EXPECT_EQ(test, delay_init(), -EINVAL);
	system_has_sb = false;
	delay = "sb";
	KUNIT_EXPECT_EQ(test, delay_init(), -EOPNOTSUPP);
	expect_knob(test, "yield", "yield");
	delay = said;
}

/* ---- what there is ---- */

static void test_available(struct kunit *test)
{
	char *page = page_of(test);

	delay_show_available(page);
	KUNIT_EXPECT_STREQ(test, page, "auto none nop yield isb sb dsb-isb\n");
	system_has_sb = false;
	delay_show_available(page);
	KUNIT_EXPECT_STREQ(test, page, "auto none nop yield isb dsb-isb\n");
}

static void test_bench_names(struct kunit *test)
{
	const char *name;
	u32 id;

	for (id = 0; id < SPIN_DELAY_END; id++) {
		name = delay_name(id);
		KUNIT_EXPECT_EQ_MSG(test, delay_parse(name, strlen(name)),
				    delay_supported(id) ? (int)id : -EOPNOTSUPP,
				    "%s", name);
	}
	KUNIT_EXPECT_EQ(test, delay_parse("chain\n", 6), SPIN_DELAY_chain);
	KUNIT_EXPECT_EQ(test, delay_parse("auto", 4), -EINVAL);
	system_has_sb = false;
	KUNIT_EXPECT_EQ(test, delay_parse("sb", 2), -EOPNOTSUPP);
}

static struct kunit_case delay_cases[] = { KUNIT_CASE_PARAM(test_word,
							    words_gen_params),
					   KUNIT_CASE(test_length),
					   KUNIT_CASE(test_turns),
					   KUNIT_CASE(test_parameter),
					   KUNIT_CASE(test_available),
					   KUNIT_CASE(test_bench_names),
					   {} };

static struct kunit_suite delay_suite = {
	.name = "spindelay_delay",
	.init = delay_test_init,
	.test_cases = delay_cases,
};

kunit_test_suite(delay_suite);

MODULE_DESCRIPTION("KUnit suites of spindelay");
MODULE_LICENSE("GPL");
