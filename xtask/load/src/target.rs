//! What is read from: nginx and the server, each over a folder and over an S3 server.

use std::{
    fmt, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use tempfile::TempDir;

use crate::{model, readers::Place};

/// Programs that take part.
#[derive(Args, Clone)]
pub struct Programs {
    /// The server, compiled with optimizations
    #[arg(long, value_name = "FILE")]
    server: PathBuf,
    /// The demo model
    #[arg(long, value_name = "FILE")]
    demo: PathBuf,
    #[arg(long, value_name = "FILE", default_value = "nginx")]
    nginx: PathBuf,
    /// An S3 server in Python
    #[arg(long, value_name = "FILE", default_value = "moto_server")]
    moto: PathBuf,
    /// Address of an S3 server that runs already, in place of moto. It must have the bucket `models`
    #[arg(long, value_name = "HOST:PORT")]
    endpoint: Option<SocketAddr>,
    /// Don't sign requests to the S3 server, for one that knows no keys
    #[arg(long)]
    unsigned: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// nginx, with sendfile
    Nginx,
    /// The server, and a folder
    Folder,
    /// nginx, which passes an S3 server on. It signs nothing
    Proxy,
    /// The server, and an S3 server
    Bucket,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nginx => "nginx",
            Self::Folder => "folder",
            Self::Proxy => "proxy",
            Self::Bucket => "bucket",
        })
    }
}

/// A process that is ended when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Asked, not killed: nginx then ends its workers, too.
        let asked = Command::new("kill").arg(self.0.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            self.0.kill().ok();
        }
        self.0.wait().ok();
    }
}

/// An S3 server, and its process if it is ours.
type Store = (Option<Running>, SocketAddr);

/// Something that answers.
pub struct Target {
    watched: Running,
    /// The S3 server behind what is watched.
    behind: Option<Store>,
    place: Place,
}

impl Target {
    /// The processes whose use is measured.
    pub fn watched(&self) -> Vec<u32> {
        vec![self.watched.0.id()]
    }

    /// Where the file is.
    pub fn place(&self) -> Place {
        self.place.clone()
    }
}

/// The file, and what all targets need.
pub struct Content {
    programs: Programs,
    /// With the model alone.
    models: TempDir,
    scratch: TempDir,
}

impl Content {
    /// Makes the file.
    pub fn new(programs: &Programs, size: u64) -> Result<Self> {
        let content =
            Self { programs: programs.clone(), models: tempfile::tempdir()?, scratch: tempfile::tempdir()? };
        model(&programs.demo, &content.models, size)?;
        // The server reads no more of its site than this to start.
        let names = [
            "stylesheet",
            "boot",
            "page_js",
            "page_wasm",
            "recorder",
            "documents",
            "preview",
            "sandbox",
            "worker",
        ];
        let assets = names.map(|name| format!("\"{name}\":\"/{name}\"")).join(",");
        fs::write(content.scratch.path().join("assets.json"), format!("{{{assets},\"fake\":null}}"))?;
        Ok(content)
    }

    /// Starts what is to be measured, anew each time.
    pub fn start(&self, kind: Kind) -> Result<Target> {
        match kind {
            Kind::Nginx => {
                self.nginx(&format!("root {};", self.models.path().display()), "/model.gguf".into())
            }
            Kind::Folder => self.server(&["--models".into(), self.models.path().into()], None),
            Kind::Proxy => self.proxy(),
            Kind::Bucket => self.bucket(),
        }
    }

    fn bucket(&self) -> Result<Target> {
        let (behind, endpoint) = self.s3()?;
        self.server(&["--blobs".into(), "s3://models".into()], Some((behind, endpoint)))
    }

    /// As `server/deploy/nginx.conf` passes blobs on.
    fn proxy(&self) -> Result<Target> {
        // Publishes the model, and says its digest.
        let Target { behind, place, .. } = self.bucket()?;
        let (behind, endpoint) = behind.context("no S3 server")?;
        let digest = place.path.rsplit('/').next().unwrap_or_default();
        let location = format!(
            "location / {{
                proxy_pass http://{endpoint}; proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_buffering off;
            }}"
        );
        let target = self.nginx(&location, format!("/models/blobs/{digest}"))?;
        Ok(Target { behind: Some((behind, endpoint)), ..target })
    }

    /// nginx with these directives of a server.
    fn nginx(&self, directives: &str, path: String) -> Result<Target> {
        let address = free()?;
        let scratch = self.scratch.path();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary =
            temporary.map(|what| format!("{what}_temp_path {};", scratch.join(what).display())).concat();
        // With its default of 2 MB at once to each, readers wait for seconds.
        let text = format!(
            "daemon off; worker_processes auto; worker_rlimit_nofile 8192; pid {pid}; user root;
            events {{ worker_connections 4096; }}
            http {{
                access_log off; sendfile on; sendfile_max_chunk 512k; keepalive_requests 1000000; {temporary}
                server {{ listen {address} backlog=4096; {directives} }}
            }}",
            pid = scratch.join("nginx.pid").display(),
        );
        let file = scratch.join("nginx.conf");
        fs::write(&file, text)?;
        let mut command = Command::new(&self.programs.nginx);
        command.arg("-p").arg(scratch).arg("-c").arg(&file).args(["-e", "stderr"]);
        let watched = Running(command.spawn().context("nginx can't be started")?);
        answers(address)?;
        Ok(Target { watched, behind: None, place: Place { address, path } })
    }

    fn server(&self, arguments: &[std::ffi::OsString], behind: Option<Store>) -> Result<Target> {
        let none = self.scratch.path().join("none");
        let mut command = Command::new(&self.programs.server);
        command.args(["--port", "0", "--no-ollama", "--connections", "4096", "--site-root"]);
        command.arg(self.scratch.path()).arg("--builtin").arg(none).args(arguments);
        if let Some((_, endpoint)) = behind {
            command.envs(self.environment(endpoint));
        }
        command.stdout(Stdio::piped());
        let mut watched = Running(command.spawn().context("the server can't be started")?);
        let lines = BufReader::new(watched.0.stdout.take().context("no output")?).lines();
        let listens = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("gemtab listens on http://").map(str::to_owned));
        let address: SocketAddr = listens.context("the server has ended")?.parse()?;
        let path = blob(address)?;
        Ok(Target { watched, behind, place: Place { address, path } })
    }

    /// An S3 server with the model in it.
    fn s3(&self) -> Result<Store> {
        let (running, endpoint) = match self.programs.endpoint {
            Some(endpoint) => (None, endpoint),
            None => {
                let (running, endpoint) = self.moto()?;
                (Some(running), endpoint)
            }
        };
        let mut command = Command::new(&self.programs.server);
        command.arg("publish").arg(self.models.path()).arg("s3://models").envs(self.environment(endpoint));
        let output = command.output()?;
        if !output.status.success() {
            bail!("publishing failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok((running, endpoint))
    }

    /// What the server has to know of the S3 server.
    fn environment(&self, endpoint: SocketAddr) -> [(&'static str, String); 6] {
        [
            ("AWS_ENDPOINT_URL", format!("http://{endpoint}")),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_ACCESS_KEY_ID", KEY.into()),
            ("AWS_SECRET_ACCESS_KEY", KEY.into()),
            ("AWS_REGION", "us-east-1".into()),
            ("AWS_SKIP_SIGNATURE", self.programs.unsigned.to_string()),
        ]
    }

    /// moto, with an empty bucket.
    fn moto(&self) -> Result<(Running, SocketAddr)> {
        let endpoint = free()?;
        let mut command = Command::new(&self.programs.moto);
        command.args(["--host", &endpoint.ip().to_string(), "--port", &endpoint.port().to_string()]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let running = Running(command.spawn().context("moto_server can't be started")?);
        answers(endpoint)?;
        request(endpoint, "PUT", "/models")?;
        Ok((running, endpoint))
    }
}

/// Opens nothing but the S3 server of a measurement. What s3rver expects; moto takes any.
const KEY: &str = "S3RVER";

/// An address that was free a moment ago.
fn free() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Waits until something listens.
fn answers(address: SocketAddr) -> Result<()> {
    for _ in 0..1000 {
        if TcpStream::connect(address).is_ok() {
            return Ok(());
        }
        sleep(Duration::from_millis(10));
    }
    bail!("nothing answers at {address}")
}

/// The path of the model on the server: that of the only layer in its list.
fn blob(address: SocketAddr) -> Result<String> {
    let answer = request(address, "GET", "/api/models")?;
    let (_, rest) =
        answer.split_once("\"url\":\"").with_context(|| format!("no model is listed: {answer}"))?;
    Ok(rest.split_once('"').context("the list is cut off")?.0.to_owned())
}

/// Asks for something small.
fn request(address: SocketAddr, method: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
