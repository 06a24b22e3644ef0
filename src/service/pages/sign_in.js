"use strict";

// Signs in with the one-time code in the address, or with a token; shows who is signed in.

const part = (id) => document.getElementById(id);

function show(id) {
  for (const one of ["sign-in", "signed-in"]) part(one).hidden = one !== id;
}

// What the service answers, or an Error with its message and help.
async function ask(method, body) {
  const request = { method, headers: { Accept: "application/json" } };
  if (method !== "GET") {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body ?? {});
  }
  const response = await fetch("api/v1/session", request);
  const answer = response.status === 204 ? null : await response.json();
  if (response.ok) return answer;
  const { message, help } = answer.error;
  const error = new Error(help ? `${message}: ${help}` : message);
  error.status = response.status;
  throw error;
}

function showSession(session) {
  part("person").textContent = session.person;
  part("role").textContent = session.role;
  part("message").textContent = "";
  show("signed-in");
}

async function signIn(credentials) {
  try {
    showSession(await ask("POST", credentials));
  } catch (error) {
    part("message").textContent = error.message;
    show("sign-in");
    part("token").focus();
  }
}

async function begin() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  // The code must not stay in the history of the browser.
  if (location.hash) history.replaceState(null, "", location.pathname);
  if (code) return signIn({ code });
  try {
    showSession(await ask("GET"));
  } catch (error) {
    if (error.status !== 401) part("message").textContent = error.message;
    show("sign-in");
  }
}

part("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = part("token").value.trim();
  part("token").value = "";
  signIn({ token });
});
part("sign-out").addEventListener("click", async () => {
  try {
    await ask("DELETE");
    part("message").textContent = "You are signed out.";
  } catch (error) {
    part("message").textContent = error.message;
  }
  show("sign-in");
});
begin();
