// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are not what they should be, and what is said of them. */
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_document.h"
#include "lib/findings.h"
#include "lib/results.h"
#include "lib/summary.h"
#include "scratch.h"

#define MIB (1ULL << 20)

static struct fake fake;
static const char *folder;

static char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static char *text_of(struct document *doc)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_int_equal(results_write(doc, stream), 0);
	fclose(stream);
	return text;
}

static struct document *small_compare(void)
{
	fake_init(&fake, 3);
	fake.noise = 0.02;
	return fake_compare(&fake, 2, 6, 6);
}

/* @doc's text with @to in the place of the first @from, as a file. */
static void write_changed(struct document *doc, const char *from,
			  const char *to)
{
	char *text = text_of(doc), *at = strstr(text, from), *changed;

	assert_non_null(at);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to,
			     at + strlen(from)) > 0);
	scratch_write("/changed.json", changed);
	free(changed);
	free(text);
	document_free(doc);
}

/* The path is refused with a sentence that says this. */
static void refuse(const char *path, const char *why)
{
	struct fault fault = { 0 };
	char changed[512];

	if (results_load(path, changed, sizeof(changed), &fault))
		fail_msg("took %s", path);
	assert_fault(&fault, STATUS_ERROR, why);
	assert_null(strchr(fault.text, '\n'));
}

static int set_up(void **state)
{
	(void)state;
	folder = scratch_make();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	refuse(path_of("absent.json"), "No such file");
	refuse(folder, "Is a directory");
	assert_int_equal(mkfifo(path_of("fifo"), 0644), 0);
	refuse(path_of("fifo"), "not a regular file");
	refuse("/dev/zero", "not a regular file");
}

static void a_file_without_permission_is_refused(void **state)
{
	uid_t me = geteuid();

	(void)state;
	scratch_write("/secret.json", "{}");
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod(path_of("secret.json"), 0), 0);
	if (!me)
		assert_int_equal(seteuid(65534), 0);
	refuse(path_of("secret.json"), "Permission denied");
	if (!me)
		assert_int_equal(seteuid(0), 0);
}

static void what_is_no_document_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "it is empty" },
		{ " \n\n", "it is empty" },
		{ "[]", "'[' in line 1" },
		{ "hello", "'h' in line 1" },
		{ "\xff\xfe", "byte 0xff in line 1" },
		{ "{", "it ends in line 1" },
		{ "{}", "'schema' is missing" },
		{ "{}x", "'x' in line 1, where its end is wanted" },
		{ "{\"a\":1,}", "where a key in quotes is wanted" },
		{ "{\"a\":1", "it ends in line 1" },
		{ "{\"a\":1 \"b\":2}", "where ',' or '}' is wanted" },
		{ "{\"a\" 1}", "where ':' is wanted" },
		{ "{\"a\":}", "in line 1" },
		{ "{\"a\":NaN}", "in line 1" },
		{ "{\"a\":1e999}", "overflow" },
		{ "{\"a\":99999999999999999999}", "too big" },
		{ "{\"a\":1,\n\n\"a\":1}", "twice" },
		{ "{\"a\":{\"b\":1,\"b\":1}}", "duplicate" },
		{ "{7:1}", "'7' in line 1, where a key" },
		{ "{\"schema\":\"other-2\",\"x\":[}",
		  "its schema is 'other-2'" },
		{ "{\"schema\":7}", "'schema'" },
		{ "{\"schema\":\"\\u001b[2J\"}", "'schema'" },
		{ "{\"schema\":\"spindelay-1\"}", "'windows' is missing" },
		{ "{\"windows\":[]}", "'schema'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		scratch_write("/bad.json", cases[i].text);
		refuse(path_of("bad.json"), cases[i].why);
	}
}

static void deep_nesting_is_refused(void **state)
{
	char *text = malloc(100016);

	(void)state;
	memset(text, '[', 100015);
	memcpy(text, "{\"a\":", 5);
	text[100015] = '\0';
	scratch_write("/deep.json", text);
	refuse(path_of("deep.json"), "maximum parsing depth");
	free(text);
}

/* A file with a hole in it: large, and quick to make. */
static void make_large(const char *text, unsigned long long bytes)
{
	scratch_write("/large.json", text);
	if (truncate(path_of("large.json"), bytes))
		fail_msg("no file of %llu bytes can be made", bytes);
}

static void a_large_file_is_refused(void **state)
{
	(void)state;
	make_large("{", 1024 * MIB);
	refuse(path_of("large.json"), "byte 0x00 in line 1");
	make_large("{", RESULTS_FILE_MAX + 1);
	refuse(path_of("large.json"), "5120 MiB are more than");
}

/* ---- text without an end ---- */

struct endless {
	const char *head;
	size_t bytes;
	char c;
};

static ssize_t read_endless(void *cookie, char *buffer, size_t size)
{
	struct endless *endless = cookie;
	size_t i = 0;

	for (; i < size && *endless->head; i++)
		buffer[i] = *endless->head++;
	memset(buffer + i, endless->c, size - i);
	endless->bytes += size;
	return size;
}

static void refuse_endless(const char *head, char c, size_t bytes,
			   const char *why)
{
	struct endless endless = { head, 0, c };
	FILE *stream =
		fopencookie(&endless, "r",
			    (cookie_io_functions_t){ .read = read_endless });
	struct fault fault = { 0 };

	assert_null(results_read(stream, "endless.json", &fault));
	fclose(stream);
	assert_fault(&fault, STATUS_ERROR, "endless.json", why);
	assert_in_range(endless.bytes, 1, bytes);
}

static void text_without_an_end_is_read_to_a_bound(void **state)
{
	(void)state;
	refuse_endless("", ' ', MIB, "byte 0x20");
	refuse_endless("{", '\n', MIB, "byte 0x0a");
	refuse_endless("{\"", 'k', MIB, "too long");
	refuse_endless("{\"a\":\"", 'v', 33 * MIB, "too long");
	refuse_endless("{\"a\":", ' ', 33 * MIB, "byte 0x20");
	refuse_endless("{\"a\":1", '0', 33 * MIB, "too long");
}

static void a_window_without_an_end_is_read_to_a_bound(void **state)
{
	struct document *doc = small_compare();
	char *text = text_of(doc), *at = strstr(text, "\"windows\": [");

	(void)state;
	at[strlen("\"windows\": [")] = '\0';
	refuse_endless(text, ' ', MIB, "byte 0x20");
	strcpy(at, "\"windows\": [\"");
	refuse_endless(text, 'w', 3 * MIB, "window 1: what begins");
	free(text);
	document_free(doc);
}

/* ---- documents of ours that something is wrong with ---- */

/* A document of @command without sets, of the usual machine. */
static struct document *nothing_measured(const char *command)
{
	struct document *doc = document_new(command), *small = small_compare();

	doc->machine = small->machine;
	document_free(small);
	return doc;
}

static void what_no_command_has_measured_is_refused(void **state)
{
	(void)state;
	write_changed(nothing_measured("info"), "\"info\"", "\"info\"");
	refuse(path_of("changed.json"), "run compare sweep selftest cost");
	write_changed(small_compare(), "\"compare\"", "\"cost\"");
	refuse(path_of("changed.json"), "not those of 'cost'");
}

static void windows_that_are_gone_are_missed(void **state)
{
	struct document *doc = small_compare();

	(void)state;
	document_forget_windows(doc);
	write_changed(doc, "\"compare\"", "\"compare\"");
	refuse(path_of("changed.json"), "no windows of its set 0");
	write_changed(nothing_measured("run"), "\"run\"", "\"run\"");
	refuse(path_of("changed.json"), "no windows in it");
}

/* Load what was changed and give back what is said of it. */
static const char *said_of_changes(void)
{
	static char changed[768];
	struct fault fault = { 0 };
	struct document *doc = results_load(path_of("changed.json"), changed,
					    sizeof(changed), &fault);

	if (!doc)
		fail_msg("%s", fault.text);
	document_free(doc);
	return changed;
}

static void a_number_that_was_edited_is_named(void **state)
{
	static const struct {
		const char *from, *to, *where;
	} cases[] = {
		{ "\"estimate\":1.", "\"estimate\":2.",
		  "'comparisons[0].ratio.estimate' is 2." },
		{ "\"resolved\":\"none\"", "\"resolved\":\"higher\"",
		  "'comparisons[0].resolved' is \"higher\", and not \"none\"" },
		{ "\"jain\":1.0", "\"jain\":0.5",
		  "'variants[0].fairness.jain'" },
		{ "\"discarded_rounds\": 0", "\"discarded_rounds\": 1",
		  "'discarded_rounds' is 1, and not 0" },
		{ "\"comparisons\": [{", "\"comparisons\": [{},{",
		  "'comparisons' has 2 entries, and should have 1" },
		{ "\"verdict\":\"no difference resolved\"", "\"verdict\":7",
		  "is 7, and not" },
		{ "\"frequency_change\": null", "\"frequency_change\": 0",
		  "'frequency_change' is 0, and not null" },
	};
	const char *said;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		write_changed(small_compare(), cases[i].from, cases[i].to);
		said = said_of_changes();
		if (!strstr(said, cases[i].where))
			fail_msg("'%s' does not say \"%s\"", said,
				 cases[i].where);
		assert_non_null(strstr(said, "changed.json: "));
	}
}

static void a_window_that_was_edited_is_noticed(void **state)
{
	struct document *doc = small_compare();

	(void)state;
	doc->sets[0].windows[0].records[0].acquisitions += 400;
	write_changed(doc, "\"compare\"", "\"compare\"");
	assert_non_null(strstr(said_of_changes(), "'variants[0]."));
}

static void other_ways_to_write_the_same_are_no_edit(void **state)
{
	(void)state;
	write_changed(small_compare(), "\"compare\"", "\"compare\"");
	assert_string_equal(said_of_changes(), "");
	write_changed(small_compare(), "\"window_ms\": 2.0",
		      "\"window_ms\": 2");
	assert_string_equal(said_of_changes(), "");
	write_changed(small_compare(), "\"frequency_change\": null,", "");
	assert_string_equal(said_of_changes(), "");
	write_changed(small_compare(), "\"seed\": 7",
		      "\"later\":{},\"seed\":7");
	assert_string_equal(said_of_changes(), "");
}

/* ---- the same numbers, the same tables ---- */

static char *printed(const struct document *doc)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	findings_print(doc, stream);
	fclose(stream);
	return text;
}

static void expect_the_same(struct document *doc)
{
	char *before = text_of(doc), *tables = printed(doc), *after, *again;
	struct fault fault = { 0 };
	struct document *loaded;
	char changed[768];

	scratch_write("/whole.json", before);
	loaded = results_load(path_of("whole.json"), changed, sizeof(changed),
			      &fault);
	if (!loaded)
		fail_msg("%s", fault.text);
	assert_string_equal(changed, "");
	after = text_of(loaded);
	again = printed(loaded);
	assert_string_equal(before, after);
	assert_true(strlen(tables) > 200);
	assert_string_equal(tables, again);
	assert_int_equal(summary_status(doc), summary_status(loaded));
	free(before);
	free(tables);
	free(after);
	free(again);
	document_free(doc);
	document_free(loaded);
}

static void make_noise(u64 seed)
{
	fake_init(&fake, seed);
	fake.noise = 0.02;
	fake.placement_noise = 0.01;
	fake.invalid_every = 17;
	fake.cycles_per_tick = 2.7;
	fake.instructions_per_tick = 1.3;
	fake.ns_per_copy = 7.31;
}

static void all_of_run_is_made_again(void **state)
{
	(void)state;
	make_noise(3);
	expect_the_same(fake_run(&fake, 3, 6, 12));
}

static void all_of_compare_is_made_again(void **state)
{
	(void)state;
	make_noise(4);
	expect_the_same(fake_compare(&fake, 4, 6, 12));
	make_noise(5);
	expect_the_same(fake_compare(&fake, 2, 1, 3));
}

static void all_of_cost_is_made_again(void **state)
{
	(void)state;
	make_noise(6);
	expect_the_same(fake_cost(&fake, 2));
	make_noise(7);
	expect_the_same(fake_sleeping_cost(&fake));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_no_file_is_refused),
		TEST(a_file_without_permission_is_refused),
		TEST(what_is_no_document_is_refused),
		TEST(deep_nesting_is_refused),
		TEST(a_large_file_is_refused),
		TEST(text_without_an_end_is_read_to_a_bound),
		TEST(a_window_without_an_end_is_read_to_a_bound),
		TEST(what_no_command_has_measured_is_refused),
		TEST(windows_that_are_gone_are_missed),
		TEST(a_number_that_was_edited_is_named),
		TEST(a_window_that_was_edited_is_noticed),
		TEST(other_ways_to_write_the_same_are_no_edit),
		TEST(all_of_run_is_made_again),
		TEST(all_of_compare_is_made_again),
		TEST(all_of_cost_is_made_again),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
