//! The server behind nginx, with the configuration that `deploy/nginx.conf` recommends.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Stdio},
};

use super::{
    Place,
    programs::{Running, find, skipped},
};
use crate::{
    Server, https_support,
    support::{Gguf, digest},
};

/// `deploy/nginx.conf` for these ports and the certificate of the tests, as a whole configuration.
fn configuration(folder: &Path, port: u16, server: &str) -> String {
    let recipe = include_str!("../../../deploy/nginx.conf");
    let mut text = String::new();
    for line in recipe.lines() {
        let file = |name| https_support::file(name).display().to_string();
        let line = match line.trim() {
            "server 127.0.0.1:3000;" => format!("server {server};"),
            "listen 443 ssl default_server;" => format!("listen 127.0.0.1:{port} ssl default_server;"),
            "listen 443 ssl;" => format!("listen 127.0.0.1:{port} ssl;"),
            // Of nginx 1.25.1, which is newer than Debian's.
            "listen [::]:443 ssl default_server;" | "listen [::]:443 ssl;" | "http2 on;" => continue,
            "server_name chat.example.org;" => "server_name localhost;".into(),
            line if line.starts_with("ssl_certificate ") => {
                format!("ssl_certificate {};", file("certificate.pem"))
            }
            line if line.starts_with("ssl_certificate_key ") => {
                format!("ssl_certificate_key {};", file("key.pem"))
            }
            line => line.into(),
        };
        text += &line;
        text.push('\n');
    }
    assert!(!text.contains("listen 443") && !text.contains("/etc/ssl/"), "{text}");
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary =
        temporary.map(|what| format!("{what}_temp_path {};\n", folder.join(what).display())).concat();
    format!(
        "daemon off;\nmaster_process off;\npid {};\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n",
        folder.join("pid").display()
    )
}

/// Starts the server over a store, and waits until it listens.
fn serve(place: &Place, site: &Path) -> (Running, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command.args(["--port", "0", "--no-ollama", "--blobs", &place.address, "--site-root"]).arg(site);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the server");
    let mut lines =
        BufReader::new(process.stdout.take().expect("what it says")).lines().map_while(Result::ok);
    let listens = lines.find_map(|line| Some(line.split_once("listens on http://")?.1.to_owned()));
    (Running(process), listens.expect("where it listens"))
}

#[tokio::test]
async fn ranges_conditions_and_headers_pass_through_nginx() {
    let Some(program) = find("nginx", "nginx/usr/sbin/nginx") else { return skipped("nginx") };
    let folder = tempfile::tempdir().expect("a folder");
    let models = folder.path().join("models");
    fs::create_dir(&models).expect("a folder");
    let noise: Vec<u8> = (0..5_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let content = Gguf::gemma4().data(&noise).build();
    fs::write(models.join("tiny.gguf"), &content).expect("written");
    let place = Place::folder(&folder.path().join("store"));
    place.publish(&models).await.expect("published");
    let site = Server::new(Vec::new());
    let (_server, address) = serve(&place, site.site());

    // Free a moment ago; nginx can't say which one it took.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let file = folder.path().join("nginx.conf");
    fs::write(&file, configuration(folder.path(), port, &address)).expect("written");
    let mut command = Command::new(program);
    command.arg("-p").arg(folder.path()).arg("-c").arg(&file).args(["-e", "stderr"]);
    let mut nginx = Running(command.spawn().expect("nginx"));
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert_eq!(nginx.0.try_wait().expect("its state"), None, "nginx has ended");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }

    rustls::crypto::ring::default_provider().install_default().ok();
    let certificate = fs::read(https_support::file("certificate.pem")).expect("a certificate");
    let certificate = reqwest::Certificate::from_pem(&certificate).expect("a certificate");
    let client =
        reqwest::Client::builder().no_proxy().tls_certs_only([certificate]).build().expect("a client");
    let base = format!("https://localhost:{port}");
    let url = format!("{base}/api/blobs/{}", digest(&content).replace(':', "-"));
    let tag = format!("\"{}\"", digest(&content));
    let size = content.len();
    let ask = async |headers: &[(&str, &str)]| {
        let request =
            headers.iter().fold(client.get(&url), |request, (name, value)| request.header(*name, *value));
        request.send().await.expect("an answer")
    };

    let whole = ask(&[]).await;
    assert_eq!(whole.status(), 200);
    assert_eq!(whole.headers()["etag"], tag);
    assert_eq!(whole.headers()["cross-origin-resource-policy"], "same-origin");
    assert!(whole.headers().contains_key("content-security-policy"));
    assert!(whole.bytes().await.expect("all") == content);
    let part = ask(&[("range", "bytes=4000000-4999999"), ("if-range", &tag)]).await;
    assert_eq!(part.status(), 206);
    assert_eq!(part.headers()["etag"], tag);
    assert_eq!(part.headers()["content-range"], format!("bytes 4000000-4999999/{size}"));
    assert!(part.bytes().await.expect("all") == content[4_000_000..5_000_000]);
    assert_eq!(ask(&[("range", "bytes=0-9"), ("if-range", "\"other\"")]).await.status(), 200);
    assert_eq!(ask(&[("if-none-match", &tag)]).await.status(), 304);
    let beyond = ask(&[("range", "bytes=99999999-")]).await;
    assert_eq!(beyond.status(), 416);
    assert_eq!(beyond.headers()["content-range"], format!("bytes */{size}"));

    let list = client.get(format!("{base}/api/models")).send().await.expect("an answer");
    assert_eq!(list.status(), 200);
    assert_eq!(list.headers()["cache-control"], "no-store");
    assert_eq!(client.get(format!("{base}/healthz")).send().await.expect("an answer").status(), 404);
    // Another name gets no answer: nginx refuses the handshake.
    assert!(client.get(format!("https://127.0.0.1:{port}/")).send().await.is_err());
}
