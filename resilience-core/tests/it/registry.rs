use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use resilience_core::{
    Admission, Code, ConfigError, Cx, Env, Id, Managed, ManualClock, Outcome, Pipeline, Policy, Problem, Registry,
    RegistryError, Settings, Verdict, at, pipeline::Draft,
};

use crate::policies::{EveryThird, EveryThirdConfig};

#[derive(Clone, Debug, PartialEq)]
struct NoteConfig {
    permits: u64,
}

impl Settings for NoteConfig {
    fn entries(&self) -> Vec<(&'static str, String)> {
        vec![("permits", self.permits.to_string())]
    }

    fn problems(&self) -> Vec<Problem> {
        let problem = || Problem::new(Code::CountBelowOne, "permits", "0", "1 or more");
        (self.permits == 0).then(problem).into_iter().collect()
    }
}

/// A policy that does nothing but run a hook when it is created.
struct Note<H> {
    id: Id,
    config: NoteConfig,
    _hook: std::marker::PhantomData<fn(H)>,
}

trait Hook: 'static {
    fn created(id: Id, env: &Env) -> Result<(), ConfigError>;
}

impl<H: Hook> Policy for Note<H> {
    type At = at::CircuitBreaker;
    type Permit = ();

    fn id(&self) -> Id {
        self.id
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        Admission::Go(())
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

impl<H: Hook> Managed for Note<H> {
    const KIND: &'static str = "note";
    type Config = NoteConfig;
    type Snapshot = (Id, u64);

    fn create(id: Id, config: NoteConfig, env: &Env) -> Result<Self, ConfigError> {
        H::created(id, env)?;
        Ok(Self { id, config, _hook: std::marker::PhantomData })
    }

    fn config(&self) -> NoteConfig {
        self.config.clone()
    }

    fn snapshot(&self) -> (Id, u64) {
        (self.id, self.config.permits)
    }

    fn reconfigure(&self, _: NoteConfig) -> Result<(), ConfigError> {
        Err(refused(self.id))
    }
}

struct Plain;

impl Hook for Plain {
    fn created(_: Id, _: &Env) -> Result<(), ConfigError> {
        Ok(())
    }
}

fn refused(id: Id) -> ConfigError {
    let problem = Problem::new(Code::InvalidConfig, "create", "", "nothing, this once");
    ConfigError::check(id.as_str(), vec![problem]).unwrap_err()
}

/// B62
#[test]
fn the_same_id_with_an_equal_configuration_is_the_same_instance_and_with_another_one_an_error() {
    let registry = Registry::new();
    let five = NoteConfig { permits: 5 };
    let first = registry.get_or_create::<Note<Plain>>("a", &five).unwrap();
    assert!(Arc::ptr_eq(&first, &registry.get_or_create("a", &five).unwrap()));

    let Err(error) = registry.get_or_create::<Note<Plain>>("a", &NoteConfig { permits: 3 }) else { panic!("shared") };
    assert_eq!(error.code(), Code::SharedNameConflict);
    assert_eq!(
        error.to_string(),
        "R4C-REG-008: the note `a` exists with another configuration: permits is 5, asked for was 3"
    );
    assert_eq!(registry.get::<Note<Plain>>("a").unwrap().config(), five);
}

/// B62
#[test]
fn a_hundred_threads_that_create_one_id_get_one_instance_created_once() {
    static CREATED: AtomicU64 = AtomicU64::new(0);
    struct Slow;
    impl Hook for Slow {
        fn created(_: Id, _: &Env) -> Result<(), ConfigError> {
            CREATED.fetch_add(1, Ordering::Relaxed);
            (0..100).for_each(|_| thread::yield_now());
            Ok(())
        }
    }
    let registry = Registry::new();
    let start = Barrier::new(100);
    let instances: Vec<_> = thread::scope(|scope| {
        let create = || {
            start.wait();
            registry.get_or_create::<Note<Slow>>("b", &NoteConfig { permits: 5 }).unwrap()
        };
        let threads: Vec<_> = (0..100).map(|_| scope.spawn(create)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(instances.iter().all(|instance| Arc::ptr_eq(instance, &instances[0])));
    assert_eq!(CREATED.load(Ordering::Relaxed), 1);
}

/// B62
#[test]
fn after_a_failed_creation_one_of_those_who_wait_creates() {
    static FIRST: AtomicBool = AtomicBool::new(true);
    static WAITING: AtomicBool = AtomicBool::new(false);
    struct FailsOnce;
    impl Hook for FailsOnce {
        fn created(id: Id, _: &Env) -> Result<(), ConfigError> {
            if !FIRST.swap(false, Ordering::Relaxed) {
                return Ok(());
            }
            while !WAITING.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            (0..1_000).for_each(|_| thread::yield_now());
            Err(refused(id))
        }
    }
    let registry = Registry::new();
    let config = NoteConfig { permits: 5 };
    thread::scope(|scope| {
        let first = scope.spawn(|| registry.get_or_create::<Note<FailsOnce>>("c", &config).map(drop));
        while FIRST.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        let second = scope.spawn(|| {
            WAITING.store(true, Ordering::Relaxed);
            registry.get_or_create::<Note<FailsOnce>>("c", &config).map(drop)
        });
        assert!(first.join().unwrap().is_err());
        assert!(second.join().unwrap().is_ok());
    });
    assert!(registry.get::<Note<FailsOnce>>("c").is_ok());
}

#[test]
fn a_creation_that_panics_leaves_the_id_free() {
    static FIRST: AtomicBool = AtomicBool::new(true);
    struct PanicsOnce;
    impl Hook for PanicsOnce {
        fn created(_: Id, _: &Env) -> Result<(), ConfigError> {
            if FIRST.swap(false, Ordering::Relaxed) {
                std::panic::resume_unwind(Box::new("once"));
            }
            Ok(())
        }
    }
    let registry = Registry::new();
    let create = || registry.get_or_create::<Note<PanicsOnce>>("d", &NoteConfig { permits: 5 }).map(drop);
    assert!(catch_unwind(AssertUnwindSafe(create)).is_err());
    let Err(error) = registry.get::<Note<PanicsOnce>>("d") else { panic!("it was not created") };
    assert_eq!(error.to_string(), "R4C-REG-009: there is no note `d`", "what was not created is not known");
    assert!(create().is_ok());
}

#[test]
fn a_constructor_may_use_the_registry_and_one_that_needs_itself_is_an_error() {
    thread_local!(static REGISTRY: std::cell::OnceCell<Registry> = const { std::cell::OnceCell::new() });
    struct Nested;
    impl Hook for Nested {
        fn created(id: Id, _: &Env) -> Result<(), ConfigError> {
            REGISTRY.with(|registry| {
                let registry = registry.get().unwrap();
                registry.get_or_create::<Note<Plain>>("inner", &NoteConfig { permits: 1 }).unwrap();
                assert_eq!(registry.snapshot().instances().count(), 1);
                let again = registry.get_or_create::<Note<Nested>>(id, &NoteConfig { permits: 5 });
                assert!(matches!(again.map(drop), Err(RegistryError::Invalid(_))));
            });
            Ok(())
        }
    }
    let registry = Registry::new();
    REGISTRY.with(|cell| cell.set(registry.clone()).unwrap());
    assert!(registry.get_or_create::<Note<Nested>>("outer", &NoteConfig { permits: 5 }).is_ok());
}

#[test]
fn an_unknown_id_is_an_error_that_lists_the_nearest_ones() {
    let registry = Registry::new();
    for id in ["search", "geocoding", "payments"] {
        registry.get_or_create::<Note<Plain>>(id, &NoteConfig { permits: 5 }).unwrap();
    }
    let Err(error) = registry.get::<Note<Plain>>("serach") else { panic!("it does not exist") };
    assert_eq!(error.code(), Code::UnknownInstance);
    assert_eq!(error.to_string(), "R4C-REG-009: there is no note `serach`; known: `search`, `geocoding`, `payments`");
    let Err(error) = Registry::new().get::<Note<Plain>>("a\nb") else { panic!("it does not exist") };
    assert_eq!(error.to_string(), "R4C-REG-009: there is no note `a\\nb`");
}

#[test]
fn an_instance_that_was_removed_goes_on_and_its_id_is_free() {
    let registry = Registry::new();
    let old = registry.get_or_create::<Note<Plain>>("a", &NoteConfig { permits: 5 }).unwrap();
    assert!(registry.remove("note", "a"));
    assert!(!registry.remove("note", "a"));
    assert!(!registry.remove("no such kind", "a") && !registry.remove("note", "no such id"));
    assert!(registry.get::<Note<Plain>>("a").is_err());
    let new = registry.get_or_create::<Note<Plain>>("a", &NoteConfig { permits: 3 }).unwrap();
    assert!(!Arc::ptr_eq(&old, &new));
    assert_eq!(old.snapshot(), (Id::new("a"), 5));
}

#[test]
fn a_snapshot_lists_all_instances_of_a_type_by_id() {
    let registry = Registry::new();
    for (id, permits) in [("b", 2), ("a", 1)] {
        registry.get_or_create::<Note<Plain>>(id, &NoteConfig { permits }).unwrap();
    }
    registry.get_or_create::<EveryThird>("a", &EveryThirdConfig { starts_at: 1 }).unwrap();
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.list::<(Id, u64)>(), [&(Id::new("a"), 1), &(Id::new("b"), 2)]);
    assert_eq!(snapshot.list::<u64>(), [&1]);
    let ids: Vec<_> = snapshot.instances().map(|(kind, id)| format!("{kind}/{id}")).collect();
    assert_eq!(ids, ["every_third/a", "note/a", "note/b"]);
}

#[test]
fn a_pipeline_reports_all_that_is_wrong_and_creates_nothing_then() {
    let registry = Registry::new();
    let built = Pipeline::builder(&registry, "p")
        .managed(Draft::<Note<Plain>>::new(None, NoteConfig { permits: 0 }))
        .managed(Draft::<EveryThird>::new(Some(Id::new("shared")), EveryThirdConfig { starts_at: 9 }))
        .build();
    let error = built.unwrap_err();
    assert_eq!(
        error.to_string(),
        "R4C-REG-001: invalid configuration of `p`\n  \
         `note.permits = 0`: a count below 1; allowed: 1 or more (R4C-ATR-003)\n  \
         `every_third.starts_at = 9`: a value of the wrong type or out of range; allowed: 0 to 2 (R4C-CFG-002)"
    );
    assert_eq!(registry.snapshot().instances().count(), 0);
}

#[test]
fn a_policy_on_another_clock_is_refused() {
    struct Clocked(resilience_core::Clock);
    impl Policy for Clocked {
        type At = at::Timeout;
        type Permit = ();
        fn id(&self) -> Id {
            Id::new("clocked")
        }
        fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
            Admission::Go(())
        }
        fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
            Verdict::Return
        }
        fn clock(&self) -> Option<&resilience_core::Clock> {
            Some(&self.0)
        }
    }
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    assert!(Pipeline::builder(&registry, "p").policy(Clocked(clock.clock())).build().is_ok());
    let builder = Pipeline::builder(&registry, "q").policy(Clocked(ManualClock::new().clock()));
    let draft = Draft::<Note<Plain>>::new(None, NoteConfig { permits: 5 });
    let error = builder.managed(draft).build().unwrap_err();
    assert!(registry.get::<Note<Plain>>("q").is_err(), "nothing is created then");
    assert!(error.to_string().contains("a policy on the clock of the registry"), "{error}");
}

#[test]
fn registries_have_nothing_in_common() {
    let (one, two) = (Registry::new(), Registry::new());
    one.get_or_create::<Note<Plain>>("a", &NoteConfig { permits: 5 }).unwrap();
    assert!(two.get::<Note<Plain>>("a").is_err());
    assert!(two.get_or_create::<Note<Plain>>("a", &NoteConfig { permits: 3 }).is_ok());
}
