"""The daemon's life: it starts, says where it is, reads its settings, and stops without losing
anything."""

import json
import os
import signal
import socket
import subprocess
import unittest

from daemon import DONE, PROGRAM, ServeTest

USAGE, FAILED = 2, 1

SLOW = """
version: 1
workflow: slow
params:
  go: { type: string }
stages:
  wait:
    sh: while [ ! -e "$GO" ]; do sleep 0.01; done
    env: { GO: "${params.go}" }
"""

ONE = """
version: 1
workflow: NAME
stages:
  a: { run: ["true"] }
"""


class Starting(ServeTest):

    def test_it_says_where_it_is_and_how_to_sign_in(self):
        daemon = self.daemon()
        self.assertEqual(daemon.said["url"], f"http://{daemon.address}/")
        self.assertTrue(daemon.said["sign_in_url"].startswith(daemon.said["url"] + "#code="))
        self.assertEqual(daemon.client().get("/healthz").json, {"status": "ok"})
        self.assertEqual(daemon.client().get("/readyz").status, 200)
        daemon.stop()

    def test_the_code_signs_in_once(self):
        daemon = self.daemon()
        browser = daemon.browser()
        self.assertEqual(browser.get("/api/v1/session").json["role"], "admin")
        again = daemon.client().post("/api/v1/session", {"code": daemon.code}, status=None,
                                     headers={"Sec-Fetch-Site": "same-origin"})
        self.assertEqual(again.status, 403)
        browser.call("DELETE", "/api/v1/session", status=204)
        browser.get("/api/v1/session", status=401)
        daemon.stop()

    def test_a_daemon_in_an_empty_directory_creates_its_store(self):
        self.assertFalse((self.dir / ".pawl").exists())
        self.daemon().stop()
        self.assertTrue((self.dir / ".pawl/pawl.db").exists())
        self.pawl("verify")

    def test_it_refuses_to_be_open_to_a_network(self):
        self.write(".pawl/serve.yaml", "sign_in: none\n").parent.chmod(0o700)
        answer = self.pawl("serve", "--listen", "0.0.0.0:0", code=USAGE)
        self.assertIn("sign_in", answer.err)
        self.daemon().stop()

    def test_without_a_sign_in_everybody_on_this_machine_is_the_local_user(self):
        daemon = self.daemon(settings="sign_in: none\n")
        self.assertEqual(daemon.client().get("/api/v1/session").json["role"], "admin")
        daemon.stop()

    def test_a_port_that_is_taken_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            answer = self.pawl("serve", "--listen", address, code=FAILED)
            self.assertIn(address, answer.err)

    def test_the_command_line_comes_before_the_settings(self):
        daemon = self.daemon("--public-url", "https://pawl.example/", settings="public_url: http://x\n")
        self.assertTrue(daemon.said["sign_in_url"].startswith("https://pawl.example/#code="))
        daemon.stop()
        refused = self.pawl("serve", "--public-url", "pawl.example", code=USAGE)
        self.assertIn("--public-url", refused.err)

    def test_wrong_addresses_are_usage_errors(self):
        for address in ("nonsense", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:-1", ":"):
            with self.subTest(address=address):
                answer = self.pawl("serve", "--listen", address, code=None)
                self.assertIn(answer.code, (FAILED, USAGE))
                self.assertIn("error", answer.err)

    def test_every_fault_of_the_settings_is_reported_at_once(self):
        self.write(".pawl/serve.yaml", "listen: 7\nworkflow: [a]\nsession_time: soon\n").parent.chmod(0o700)
        answer = self.pawl("serve", "--listen", "127.0.0.1:0", code=USAGE)
        for line in ("serve.yaml:1", "serve.yaml:2", "serve.yaml:3"):
            self.assertIn(line, answer.err)
        checked = self.pawl("check", "--serve", code=USAGE)
        self.assertEqual((checked.out + checked.err).count("serve.yaml:"), 3, checked)

    def test_settings_that_are_named_must_exist(self):
        answer = self.pawl("serve", "--settings", "nowhere.yaml", code=None)
        self.assertIn(answer.code, (FAILED, USAGE))
        self.assertIn("nowhere.yaml", answer.err)

    def test_a_service_manager_hears_when_it_is_ready(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            path = str(self.dir / "notify")
            manager.bind(path)
            manager.settimeout(60)
            daemon = self.daemon(env={"NOTIFY_SOCKET": path})
            self.assertEqual(manager.recv(100), b"READY=1")
            daemon.stop()
            self.assertEqual(manager.recv(100), b"STOPPING=1")


class Stopping(ServeTest):

    def test_running_attempts_end_and_are_recorded(self):
        self.write("slow.yaml", SLOW)
        daemon = self.daemon(workflows=["."])
        browser = daemon.browser()
        go = self.dir / "go"
        job = browser.post("/api/v1/jobs", {"workflow": "slow", "params": {"go": str(go)}},
                           status=201).json
        job_path = f"/api/v1/jobs/{job['job']}"
        self.wait_until("the attempt runs", lambda: browser.get(job_path).json["attempts_open"] == 1)
        daemon.signal(signal.SIGTERM)
        self.wait_until("it stops", lambda: any("stopping" in line["message"] for line in daemon.log))
        go.touch()
        self.assertEqual(daemon.process.wait(60), DONE, daemon.log_text())
        attempts = self.pawl("job", "show", job["job"], "--json").json
        self.assertEqual(attempts["state"], "completed")
        self.pawl("verify")

    def test_open_streams_end_and_new_connections_are_refused(self):
        daemon = self.daemon()
        token = self.token("root")
        followers = [daemon.events(token=token) for _ in range(20)]
        for follower in followers:
            self.assertTrue(follower.is_open.wait(60))
        daemon.stop()
        for follower in followers:
            self.assertTrue(follower.is_over.wait(60))
        with self.assertRaises(OSError):
            socket.create_connection(tuple(daemon.address.rsplit(":", 1)), timeout=5)

    def test_killed_it_goes_on_where_it_was(self):
        self.write("slow.yaml", SLOW)
        daemon = self.daemon(workflows=["."])
        token = self.token("ana")
        browser = daemon.client()
        browser.sign_in(token=token)
        go = self.dir / "go"
        job = browser.post("/api/v1/jobs", {"workflow": "slow", "params": {"go": str(go)}},
                           status=201).json["job"]
        self.wait_until("the attempt runs",
                        lambda: browser.get(f"/api/v1/jobs/{job}").json["attempts_open"] == 1)
        daemon.kill()
        go.touch()
        again = self.daemon()
        # The session is in the store, not in the process.
        browser = client_of(again, browser.cookie)
        self.wait_until("the job ends",
                        lambda: browser.get(f"/api/v1/jobs/{job}").json["state"] == "completed")
        again.stop()
        self.pawl("verify")


def client_of(daemon, cookie):
    client = daemon.client()
    client.cookie = cookie
    return client


class Reloading(ServeTest):

    def test_hangup_reads_the_workflow_files_again(self):
        self.write("flows/one.yaml", ONE.replace("NAME", "one"))
        daemon = self.daemon(workflows=["flows"])
        browser = daemon.browser()
        self.assertEqual([it["workflow"] for it in browser.rows("/api/v1/workflows", "workflows")], ["one"])
        self.write("flows/two.yaml", ONE.replace("NAME", "two"))
        daemon.signal(signal.SIGHUP)
        self.wait_until("the new file is there", lambda: [
            it["workflow"] for it in browser.rows("/api/v1/workflows", "workflows")] == ["one", "two"])
        daemon.stop()

    def test_a_faulty_workflow_file_is_named_in_the_log(self):
        self.write("flows/bad.yaml", "workflow: bad\nstagess: {}\n")
        daemon = self.daemon(workflows=["flows"])
        daemon.client().get("/healthz")
        daemon.stop()
        self.assertTrue([line for line in daemon.log if line["level"] == "warning"
                         and "bad.yaml" in line["message"]], daemon.log_text())

    def test_settings_that_need_a_restart_are_named(self):
        daemon = self.daemon(settings="session_time: 1h\n")
        self.write(".pawl/serve.yaml", "session_time: 2h\n")
        daemon.signal(signal.SIGHUP)
        self.wait_until("the log says it", lambda: any(
            "session_time" in line["message"] for line in daemon.log))
        daemon.stop()

    def test_faulty_settings_change_nothing(self):
        daemon = self.daemon(settings="session_time: 1h\n")
        self.write(".pawl/serve.yaml", "session_time: soon\n")
        daemon.signal(signal.SIGHUP)
        self.wait_until("the log says it", lambda: any(
            "stay as they were" in line["message"] for line in daemon.log))
        daemon.client().get("/healthz")
        daemon.stop()


class Logging(ServeTest):

    def test_each_request_is_one_line_without_secrets(self):
        daemon = self.daemon()
        token = self.token("root")
        daemon.client(token).get("/api/v1/jobs?workflow=secret-of-the-query")
        daemon.client("pawl_wrong").get("/api/v1/jobs", status=401)
        daemon.client().get("/api/v1/j%0abs/%1b[31m", status=404)
        daemon.stop()
        lines = [line for line in daemon.log if line["message"] == "request"]
        self.assertEqual([(line["path"], line["status"]) for line in lines][:2],
                         [("/api/v1/jobs", 200), ("/api/v1/jobs", 401)])
        self.assertEqual(lines[0]["actor"], "root")
        self.assertEqual(lines[0]["by"], "token")
        self.assertEqual(lines[0]["route"], "/api/v1/jobs")
        for secret in (token, "pawl_wrong", "secret-of-the-query", daemon.code):
            self.assertNotIn(secret, daemon.log_text())

    def test_for_people_it_is_text(self):
        process = subprocess.Popen(
            [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--log", "text"], cwd=self.dir, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment())
        self._started.append(process)
        self.assertIn("sign in once", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, DONE, err)
        self.assertIn("info: listening on 127.0.0.1:", err)
        self.assertIn("info: stopped; nothing was lost", err)


if __name__ == "__main__":
    unittest.main()
