"""The same story, but two of its acts are by HTTP: a person signs in to `pawl serve --no-work` and answers the review,
and another time retries the dead letter."""

import http.client
import json
import re
import subprocess
import threading
import urllib.parse

from pawl import DONE, FAILED, PATIENCE, PROGRAM
from story import ACTS, Answer, Violation, disk_environment, expect, kill_when_it_has_told, pawl

PERSON = "tester"
TOKEN = "token"
SERVE = ("serve", "--no-work", "--json", "--log", "json", "--listen", "127.0.0.1:0")


class Refused(Exception):
    """The daemon has answered a request, but not with success."""


class Connection:
    """A browser that does what a person tells it, one request after the other."""

    def __init__(self, url, token):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=PATIENCE)
        self.token = token
        self.headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        self.asked = []  # what each request was for
        self.refusals = []

    def send(self, what, method, path, body=None):
        """A request whose first answer was that the store is in trouble is repeated once, as programs do."""
        for is_last in (False, True):
            self.asked.append(what)
            self.connection.request(method, path, None if body is None else json.dumps(body), self.headers)
            reply = self.connection.getresponse()
            text = reply.read().decode()
            if reply.status < 300:
                if cookie := reply.headers["Set-Cookie"]:
                    self.headers["Cookie"] = cookie.split(";")[0]
                return json.loads(text)
            self.refusals.append((what, reply.status, text))
            if is_last or reply.status != 503:
                raise Refused(what)

    def sign_in(self):
        self.send("sign in", "POST", "/api/v1/session", {"token": self.token})


def answer_review(browser):
    browser.sign_in()
    review = browser.send("look", "GET", "/api/v1/reviews/1")
    body = {"outcome": "approve", "digest": review["digest"]}
    browser.send("answer", "POST", "/api/v1/reviews/1/answer", body)
    browser.send("answer", "POST", "/api/v1/reviews/1/answer", body)  # the same again changes nothing


def retry_dead_letter(browser):
    browser.sign_in()
    [letter] = browser.send("look", "GET", "/api/v1/dead-letters?job=1")["dead_letters"]
    browser.send("retry", "POST", f"/api/v1/dead-letters/{letter['task']}/retry", {"note": "again"})


class HttpAnswer(Answer):
    """What a daemon did, and what it answered."""

    def __init__(self, code, out, err, record, browser):
        super().__init__(SERVE, code, out, err, record)
        self.asked = browser.asked if browser else []
        self.refusals = browser.refusals if browser else []
        self.is_done = False

    @property
    def trouble(self):
        return self.err + "".join(text for _, _, text in self.refusals)

    def __str__(self):
        return f"{super().__str__()}--- asked {self.asked}, refused {self.refusals}"


class HttpAct:
    """A daemon is started, does what one person asks for, and is stopped."""

    codes_of_trouble = (FAILED, DONE)  # a daemon that has answered with an error goes on

    def __init__(self, title, converse):
        self.title = title
        self.converse = converse

    def carry_out(self, project, killed_after=None, **disk):
        record, told = project.with_name(project.name + ".record"), project.with_name(project.name + ".told")
        with open(told, "w") as stderr:
            process = subprocess.Popen([PROGRAM, *SERVE], cwd=project, stdin=subprocess.DEVNULL, text=True,
                                       stdout=subprocess.PIPE, stderr=stderr,
                                       env=disk_environment(project, record, **disk))
        try:
            if killed_after:
                threading.Thread(target=kill_when_it_has_told, args=(process, told, killed_after), daemon=True).start()
            browser, is_done = self._converse(process, (project / TOKEN).read_text())
            if process.poll() is None:
                process.terminate()
            out, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Violation(f"the daemon does not end\n{told.read_text(errors='replace')}")
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        answer = HttpAnswer(process.returncode, out, told.read_text(errors="replace"), record, browser)
        answer.is_done = is_done
        record.unlink()
        told.unlink()
        return answer

    def _converse(self, process, token):
        line = process.stdout.readline()
        if not line:
            return None, False
        browser = Connection(json.loads(line)["url"], token)
        try:
            self.converse(browser)
            return browser, True
        except (Refused, OSError, http.client.HTTPException):
            return browser, False
        finally:
            browser.connection.close()

    @staticmethod
    def succeeded(answer):
        return answer.code == DONE and answer.is_done

    def broken_words(self, points, answer, before, after, kept):
        """Everything that was answered with success up to here is kept, and nothing is there by half."""
        said = b"".join(one.bytes for point in points for one in point.done if one.what == "said")
        statuses = [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", said)]
        done = [what for what, status in zip(answer.asked, statuses) if status < 300]
        if "sign in" in done and kept.sessions <= before.sessions:
            yield "a session was opened, and is lost"
        acts = [what for what in done if what in ("answer", "retry")]
        if acts and kept[:4] != after[:4]:
            yield f"an act was answered with success, and is lost: {kept}, not {after}"
        if kept[:4] not in (before[:4], after[:4]):
            yield f"half of an act: {kept}, neither {before} nor {after}"


def add_person(project):
    """Sessions of people are kept in the store. The token is kept beside it."""
    expect(pawl(project, "user", "add", PERSON, "--role", "admin"), DONE)
    answer = expect(pawl(project, "token", "create", "--name", PERSON, "--role", "admin", "--json"), DONE)
    (project / TOKEN).write_text(json.loads(answer.out)["secret"])


ACTS_BY_HTTP = (ACTS[0], HttpAct("an answer to a review by HTTP", answer_review),
                HttpAct("a retry of a dead letter by HTTP", retry_dead_letter), ACTS[3])
