//! Files change, however they are saved, and what goes live is whole.
//!
//! These tests wait in real time, for files know no other; they wait for what they expect, never for a while.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use resilience::{
    config::{Event, Sources, Watch},
    event::Subscription,
    prelude::*,
    ratelimiter,
};

use crate::limiter;

/// Far longer than anything here takes, also on a machine that has other things to do.
const LONG: Duration = Duration::from_secs(60);

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A directory of the test's own, gone when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("resilience-watch-{}-{}", std::process::id(), FOLDERS.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("app.toml")
    }

    /// Puts a file there that says `permits`, whole at once.
    fn write(&self, name: &str, permits: u32) -> PathBuf {
        // Its own, for there is more than one writer.
        let [path, new] = [name, &format!("{name}.new")].map(|name| self.0.join(name));
        fs::write(&new, text(permits)).unwrap();
        fs::rename(new, &path).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn text(permits: u32) -> String {
    format!("[instances.a.rate_limiter]\npermits = {permits}\n")
}

/// A registry with a limiter that is configured from files and listened to.
struct Service {
    registry: Registry,
    limiter: Arc<RateLimiter>,
    told: mpsc::Receiver<Event>,
    _listening: Subscription,
}

impl Service {
    fn new(path: impl AsRef<Path>) -> Self {
        let registry = Registry::new();
        registry.configure(Sources::new().file(path.as_ref())).unwrap();
        limiter(&registry, "a", |it| it);
        let (tell, told) = mpsc::channel();
        let listening = registry.events().subscribe(move |event| {
            if let Some(event) = event.payload::<Event>() {
                tell.send(event.clone()).unwrap();
            }
        });
        Self { limiter: registry.rate_limiter("a").unwrap(), registry, told, _listening: listening }
    }

    fn watched(path: impl AsRef<Path>) -> (Self, Watch) {
        let service = Self::new(path);
        let watch = service.registry.watch().unwrap();
        (service, watch)
    }

    fn permits(&self) -> u32 {
        self.limiter.config().permits
    }

    fn next(&self) -> Event {
        self.told.recv_timeout(LONG).expect("an event")
    }

    /// The next event is of a reload that was taken, with this outcome.
    fn becomes(&self, permits: u32) {
        let event = self.next();
        assert!(tells(&event, permits), "{event}");
    }

    /// Saves, and sees what was saved go live next. On a machine so busy that saving took longer than the settle time,
    /// what was half saved comes before it, by right.
    fn saves(&self, permits: u32, save: impl FnOnce()) {
        let clock = self.registry.clock();
        let begun = clock.now();
        save();
        let in_time = clock.now().since(begun) < Duration::from_millis(200);
        let mut event = self.next();
        while !in_time && !tells(&event, permits) {
            event = self.next();
        }
        assert!(tells(&event, permits), "{event}");
        assert_eq!(self.permits(), permits);
    }

    fn refuses(&self) -> String {
        let event = self.next();
        assert!(matches!(&event, Event::Refused(_)), "{event}");
        event.to_string()
    }
}

/// Whether it is of a reload that was taken and brought this.
fn tells(event: &Event, permits: u32) -> bool {
    let Event::Applied(reload) = event else { return false };
    reload.changes.iter().any(|it| it.key == "permits" && it.to == permits.to_string())
}

/// Lets real time pass.
fn pause(duration: Duration) {
    let (_open, never) = mpsc::channel::<()>();
    never.recv_timeout(duration).unwrap_err();
}

/// Saves three times in a row, and sees each go live.
fn notices(folder: &Folder, save: impl Fn(u32)) {
    let (service, _watch) = Service::watched(folder.file());
    for permits in [7, 8, 9] {
        service.saves(permits, || save(permits));
    }
}

#[test]
fn a_file_that_is_written_in_place_is_noticed() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    notices(&folder, |permits| fs::write(folder.file(), text(permits)).unwrap());
}

#[test]
fn a_file_that_is_renamed_over_is_noticed() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    notices(&folder, |permits| drop(folder.write("app.toml", permits)));
}

#[test]
fn a_file_that_is_deleted_and_created_again_is_noticed() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    notices(&folder, |permits| {
        fs::remove_file(folder.file()).unwrap();
        pause(Duration::from_millis(20));
        folder.write("app.toml", permits);
    });
}

#[test]
fn a_file_that_is_moved_away_first_is_noticed() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    notices(&folder, |permits| {
        fs::rename(folder.file(), folder.0.join("app.toml~")).unwrap();
        folder.write("app.toml", permits);
    });
}

#[test]
fn a_directory_that_is_deleted_or_replaced_is_noticed() {
    let folder = Folder::new();
    let conf = folder.0.join("conf");
    let fill = |name: &str, permits| {
        let path = folder.0.join(name);
        fs::create_dir(&path).unwrap();
        folder.write(&format!("{name}/app.toml"), permits);
        path
    };
    fill("conf", 1);
    let (service, _watch) = Service::watched(conf.join("app.toml"));
    for permits in [7, 8, 9] {
        service.saves(permits, || {
            fs::remove_dir_all(&conf).unwrap();
            fill("conf", permits);
        });
    }
    for permits in [10, 11, 12] {
        let next = fill("next", permits);
        service.saves(permits, || {
            fs::rename(&conf, folder.0.join(format!("old{permits}"))).unwrap();
            fs::rename(next, &conf).unwrap();
        });
    }
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::{Folder, Service, fs, notices};

    /// As Kubernetes mounts a `ConfigMap`: `app.toml -> ..data/app.toml`, `..data -> ..1`, and then another directory.
    #[test]
    fn a_symbolic_link_that_is_swapped_is_noticed() {
        let folder = Folder::new();
        let version = |permits: u32| {
            let version = format!("..{permits}");
            fs::create_dir(folder.0.join(&version)).unwrap();
            folder.write(&format!("{version}/app.toml"), permits);
            symlink(&version, folder.0.join("..data_tmp")).unwrap();
            fs::rename(folder.0.join("..data_tmp"), folder.0.join("..data")).unwrap();
        };
        version(1);
        symlink("..data/app.toml", folder.file()).unwrap();
        notices(&folder, |permits| {
            version(permits);
            let old = if permits == 7 { 1 } else { permits - 1 };
            fs::remove_dir_all(folder.0.join(format!("..{old}"))).unwrap();
        });
    }

    #[test]
    fn the_file_that_a_link_leads_to_is_watched_and_so_is_the_link() {
        let (folder, [one, two]) = (Folder::new(), [Folder::new(), Folder::new()]);
        let link = |to: &Folder| {
            let new = folder.0.join("new");
            symlink(to.file(), &new).unwrap();
            fs::rename(new, folder.file()).unwrap();
        };
        one.write("app.toml", 1);
        link(&one);
        let (service, _watch) = Service::watched(folder.file());
        for permits in [7, 8, 9] {
            one.write("app.toml", permits);
            service.becomes(permits);
        }
        two.write("app.toml", 10);
        link(&two);
        service.becomes(10);
        two.write("app.toml", 11);
        service.becomes(11);
        one.write("app.toml", 12); // nothing of ours any more
        two.write("app.toml", 13);
        service.becomes(13);
    }
}

/// Ten services at a time, since each round takes as long as the settle time.
#[test]
fn a_file_saved_in_two_halves_never_goes_live_half() {
    let halves = || {
        let folder = Folder::new();
        folder.write("app.toml", 99);
        let (service, _watch) = Service::watched(folder.file());
        for permits in 100..115 {
            let text = text(permits);
            let (half, rest) = text.split_at(text.len() - 3); // the half says 1, and so could go live
            service.saves(permits, || {
                fs::write(folder.file(), half).unwrap();
                pause(Duration::from_millis(120));
                fs::OpenOptions::new().append(true).open(folder.file()).unwrap().write_all(rest.as_bytes()).unwrap();
            });
        }
    };
    thread::scope(|scope| (0..10).for_each(|_| drop(scope.spawn(halves))));
}

#[test]
fn a_refused_file_is_told_once_and_watching_goes_on() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, _watch) = Service::watched(folder.file());
    folder.write("app.toml", 0);
    assert!(service.refuses().contains("R4C-CFG-004"));
    assert_eq!(service.permits(), 1);
    folder.write("app.toml", 0); // saved again as it was: nothing new to tell
    pause(Duration::from_millis(500));
    fs::write(folder.file(), "permits = [").unwrap();
    assert!(service.refuses().contains("R4C-CFG-003"));
    folder.write("app.toml", 2);
    service.becomes(2);
    assert_eq!(service.registry.reloads().refused, 2);
}

#[test]
fn a_file_that_stays_away_is_refused_once() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, _watch) = Service::watched(folder.file());
    fs::remove_file(folder.file()).unwrap();
    assert!(service.refuses().contains("app.toml"));
    assert_eq!(service.permits(), 1);
    folder.write("app.toml", 2);
    service.becomes(2);
}

#[test]
fn the_same_bytes_are_no_event_and_other_bytes_that_say_the_same_change_nothing() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, _watch) = Service::watched(folder.file());
    folder.write("app.toml", 1);
    pause(Duration::from_millis(500)); // it had the time to be told
    fs::write(folder.file(), format!("# why\n{}", text(1))).unwrap();
    let event = service.next();
    assert!(matches!(&event, Event::Applied(reload) if reload.changes.is_empty()), "{event}");
    folder.write("app.toml", 2);
    service.becomes(2);
    assert_eq!(service.registry.reloads().applied, 3);
}

/// Changed between `configure` and `watch`, when nobody watched.
#[test]
fn a_change_before_the_watch_is_not_lost() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let service = Service::new(folder.file());
    folder.write("app.toml", 2);
    let _watch = service.registry.watch().unwrap();
    service.becomes(2);
}

#[test]
fn a_reload_by_hand_is_not_done_again() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, _watch) = Service::watched(folder.file());
    folder.write("app.toml", 2);
    service.registry.reload().unwrap();
    service.becomes(2);
    folder.write("app.toml", 3);
    service.becomes(3);
}

#[test]
fn two_watches_reload_once() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, _watch) = Service::watched(folder.file());
    let _another = service.registry.watch().unwrap();
    for permits in [2, 3, 4] {
        folder.write("app.toml", permits);
        service.becomes(permits);
    }
}

#[test]
fn the_watch_follows_configure_also_the_first_one() {
    let folder = Folder::new();
    let [one, two] = [folder.write("one.toml", 1), folder.write("two.toml", 2)];
    let registry = Registry::new();
    let _watch = registry.watch().unwrap();
    let service = Service::new(&one);
    let _watch_too = service.registry.watch().unwrap();
    drop(registry);
    service.registry.configure(Sources::new().file(&two)).unwrap();
    service.becomes(2);
    folder.write("one.toml", 3);
    folder.write("two.toml", 4);
    service.becomes(4);
    // A refused one re-targets nothing.
    service.registry.configure(Sources::new().file(folder.0.join("none.toml"))).unwrap_err();
    service.refuses();
    folder.write("two.toml", 5);
    service.becomes(5);
}

#[test]
fn all_files_are_watched_and_saved_together_they_are_one_reload() {
    let folder = Folder::new();
    let [one, two] = [folder.write("one.toml", 1), folder.write("two.toml", 2)];
    let (service, _watch) = Service::watched(&one);
    service.registry.configure(Sources::new().file(&one).file(&two)).unwrap();
    service.becomes(2);
    service.saves(8, || {
        fs::write(&one, "[instances.a.rate_limiter]\npermits = 8\nmax_wait = '1s'\n").unwrap();
        fs::write(&two, "").unwrap();
    });
    assert_eq!(service.limiter.config().max_wait, Duration::from_secs(1));
}

#[test]
fn a_busy_neighbour_does_not_keep_it_from_settling() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, _watch) = Service::watched(folder.file());
    let (stop, stopped) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let folder = &folder;
        scope.spawn(move || {
            while stopped.recv_timeout(Duration::from_millis(5)) == Err(mpsc::RecvTimeoutError::Timeout) {
                folder.write("app.log", 1);
            }
        });
        folder.write("app.toml", 2);
        service.becomes(2);
        drop(stop);
    });
}

#[test]
fn a_listener_may_drop_the_watch() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, watch) = Service::watched(folder.file());
    let watch = Mutex::new(Some(watch));
    let _listening = service.registry.events().subscribe(move |event| {
        if event.payload::<ratelimiter::Event>().is_some() {
            drop(watch.lock().unwrap().take());
        }
    });
    folder.write("app.toml", 2);
    service.becomes(2);
    folder.write("app.toml", 3);
    let another = service.registry.watch().unwrap();
    service.becomes(3);
    drop(another);
}

#[test]
fn to_drop_the_watch_waits_for_no_listener() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let (service, watch) = Service::watched(folder.file());
    let (call, called) = mpsc::channel();
    let (end, ending) = mpsc::channel::<()>();
    let ending = Mutex::new(ending);
    let _listening = service.registry.events().subscribe(move |event| {
        if event.payload::<ratelimiter::Event>().is_some() {
            call.send(()).unwrap();
            ending.lock().unwrap().recv().unwrap();
        }
    });
    folder.write("app.toml", 2);
    called.recv_timeout(LONG).unwrap();
    drop(watch); // while the listener waits
    end.send(()).unwrap();
    service.becomes(2);
}

#[test]
fn a_longer_settle_time_waits_longer() {
    let folder = Folder::new();
    folder.write("app.toml", 1);
    let service = Service::new(folder.file());
    let _watch = service.registry.watch_with(Duration::from_millis(700)).unwrap();
    let begun = service.registry.clock().now();
    folder.write("app.toml", 2);
    service.becomes(2);
    assert!(service.registry.clock().now().since(begun) >= Duration::from_millis(700));
}
