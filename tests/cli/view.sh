#!/usr/bin/env bash
# livens view from outside: the address, answers, Ctrl-C, mistakes.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >pendulum.toml <<'SCENE'
title = "Pendulum"
time = { end = 5 }
integrator = { kind = "stormer_verlet", step = 0.01 }
system = { kind = "pendulum" }
SCENE
expect_code 0 "$livens" run pendulum.toml --quiet

# begin ARGS...: starts the server, and takes its address apart.
begin() {
  "$livens" view "$@" >view.txt 2>err.txt &
  server=$!
  for _ in $(seq 200); do grep -q 'key=' view.txt && break; sleep 0.05; done
  port=$(sed -nE 's|.*http://127\.0\.0\.1:([0-9]+)/\?key=.*|\1|p' view.txt)
  key=$(sed -nE 's|.*key=([0-9a-f]{32}) .*|\1|p' view.txt)
  expect_text view.txt "ssh -L $port:127.0.0.1:$port HOST"
}
ask() {  # PATH KEY
  exec {socket}<>"/dev/tcp/127.0.0.1/$port" || return
  printf 'GET %s HTTP/1.1\r\nHost: localhost:%s\r\nX-Livens-Key: %s\r\nConnection: close\r\n\r\n' "$1" "$port" "$2" >&"$socket"
  timeout 20 cat <&"$socket" >answer.txt
  exec {socket}>&-
}
end() {
  exec {open}<>"/dev/tcp/127.0.0.1/$port"  # a client that stays
  kill -INT "$server"
  wait "$server"
  local code=$?
  exec {open}>&-
  [[ $code -eq 0 ]] || fail "exit code $code after Ctrl-C"
  expect_text view.txt "ended"
}

# --- finished runs -----------------------------------------------------------------------------------------------------
begin runs/pendulum
expect_text view.txt "livens view runs/pendulum: http://127.0.0.1:"
ask /api/session "$key"
expect_text answer.txt '"live":false'
ask "/api/runs/0" "$key"
expect_text answer.txt '"phase":[["theta","theta_dot"]]'
ask /api/session "${key%?}x"
expect_text answer.txt "403"
end

# --- live ----------------------------------------------------------------------------------------------------------------
begin pendulum.toml --set integrator.step=0.02
ask /api/live "$key"
expect_text answer.txt '"value":0.02'
end
expect_text view.txt "To keep a run: livens run pendulum.toml"

# --- mistakes --------------------------------------------------------------------------------------------------------------
expect_code 2 "$livens" view nowhere
expect_text err.txt "nowhere"
expect_code 2 "$livens" view .
expect_text err.txt "holds no run"
expect_code 2 "$livens" view
expect_code 2 "$livens" view pendulum.toml runs/pendulum
expect_code 2 "$livens" view runs/pendulum --set integrator.step=1
expect_code 2 "$livens" view runs/pendulum --port 99999
expect_code 2 "$livens" view runs/pendulum --port x
expect_code 2 "$livens" view pendulum.toml --set integrator.step=-1

[[ $failures -eq 0 ]] && echo "all as expected"
exit $((failures > 0))
