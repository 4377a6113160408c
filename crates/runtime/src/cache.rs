//! A bounded cache in memory.
//!
//! It is moka's, compiled once for all types of keys and values. By itself moka is 100 KB of code for each pair of types in
//! each crate that uses it, which was a tenth of the program.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// When an entry leaves the cache, unless others displace it first.
#[derive(Clone, Copy, Debug)]
pub enum Expiry {
    /// Not by time.
    Never,
    /// So long after it was inserted.
    After(Duration),
    /// So long after it was inserted or read.
    Idle(Duration),
}

/// A bounded cache; a clone is the same cache.
pub struct Cache<K, V> {
    entries: Arc<dyn Entries>,
    of: PhantomData<fn() -> (K, V)>,
}

impl<K, V> Cache<K, V>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// A cache of at most so many entries, or so much weight.
    pub fn new(capacity: u64, expiry: Expiry) -> Self {
        Self { entries: entries(capacity, expiry), of: PhantomData }
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<V> {
        self.entries.get(key).and_then(|value| value.downcast_ref().cloned())
    }

    /// Whether the key has a value. That is no reading: it does not put off the end of an idle entry.
    pub fn contains_key(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }

    /// Sets the value of a key.
    pub fn insert(&self, key: K, value: V) {
        self.insert_weighing(key, value, 1);
    }

    /// Sets the value of a key, which counts for as many entries as it weighs.
    pub fn insert_weighing(&self, key: K, value: V, weight: u32) {
        self.entries.insert(Box::new(key), Held { value: Arc::new(value), weight });
    }

    /// The value of a key, made by the first of those who ask for it at once.
    pub fn get_with(&self, key: K, make: impl Fn() -> V) -> V {
        if let Some(value) = self.get(&key) {
            return value;
        }
        let found = self.entries.get_with(Box::new(key), &|| Held { value: Arc::new(make()), weight: 1 });
        found.downcast_ref().cloned().unwrap_or_else(make)
    }

    /// Drops the value of a key.
    pub fn invalidate(&self, key: &K) {
        self.entries.invalidate(key);
    }

    /// Drops every value.
    pub fn invalidate_all(&self) {
        self.entries.invalidate_all();
    }

    /// A copy of all entries.
    pub fn entries(&self) -> Vec<(K, V)>
    where
        K: Clone,
    {
        let pair = |(key, value): (Arc<Box<dyn Key>>, Value)| {
            Some(((**key).as_any().downcast_ref::<K>()?.clone(), value.downcast_ref::<V>()?.clone()))
        };
        self.entries.all().into_iter().filter_map(pair).collect()
    }

    /// How many entries there are, as of the last upkeep.
    pub fn entry_count(&self) -> u64 {
        self.entries.count()
    }

    /// Does the upkeep that is due, which else comes with later calls.
    pub fn run_pending_tasks(&self) {
        self.entries.upkeep();
    }
}

impl<K, V> Clone for Cache<K, V> {
    fn clone(&self) -> Self {
        Self { entries: Arc::clone(&self.entries), of: PhantomData }
    }
}

impl<K, V> fmt::Debug for Cache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("entries", &self.entries.count()).finish_non_exhaustive()
    }
}

type Value = Arc<dyn Any + Send + Sync>;

/// A key of any type.
trait Key: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn is(&self, other: &dyn Key) -> bool;
    fn add_to(&self, hasher: &mut dyn Hasher);
}

impl<K: Eq + Hash + Send + Sync + 'static> Key for K {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is(&self, other: &dyn Key) -> bool {
        other.as_any().downcast_ref::<K>() == Some(self)
    }

    fn add_to(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl PartialEq for dyn Key {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for dyn Key {}

impl Hash for dyn Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.add_to(state);
    }
}

/// A key of any type, which lives as long as it is stored.
type StoredKey = dyn Key + 'static;

/// A value with its weight.
#[derive(Clone)]
struct Held {
    value: Value,
    weight: u32,
}

/// The cache behind its types. Only the methods of this trait's one implementation call moka, so that no other crate
/// compiles it.
trait Entries: Send + Sync {
    fn get(&self, key: &StoredKey) -> Option<Value>;
    fn contains_key(&self, key: &StoredKey) -> bool;
    fn insert(&self, key: Box<dyn Key>, held: Held);
    fn get_with(&self, key: Box<dyn Key>, make: &dyn Fn() -> Held) -> Value;
    fn invalidate(&self, key: &StoredKey);
    fn invalidate_all(&self);
    fn all(&self) -> Vec<(Arc<Box<dyn Key>>, Value)>;
    fn count(&self) -> u64;
    fn upkeep(&self);
}

fn entries(capacity: u64, expiry: Expiry) -> Arc<dyn Entries> {
    let builder = moka::sync::Cache::<Box<dyn Key>, Held>::builder();
    let builder = builder.max_capacity(capacity).weigher(|_, held| held.weight);
    Arc::new(match expiry {
        Expiry::Never => builder.build(),
        Expiry::After(time) => builder.time_to_live(time).build(),
        Expiry::Idle(time) => builder.time_to_idle(time).build(),
    })
}

impl Entries for moka::sync::Cache<Box<dyn Key>, Held> {
    fn get(&self, key: &StoredKey) -> Option<Value> {
        Self::get(self, key).map(|held| held.value)
    }

    fn contains_key(&self, key: &StoredKey) -> bool {
        Self::contains_key(self, key)
    }

    fn insert(&self, key: Box<dyn Key>, held: Held) {
        Self::insert(self, key, held);
    }

    fn get_with(&self, key: Box<dyn Key>, make: &dyn Fn() -> Held) -> Value {
        Self::get_with(self, key, make).value
    }

    fn invalidate(&self, key: &StoredKey) {
        Self::invalidate(self, key);
    }

    fn invalidate_all(&self) {
        Self::invalidate_all(self);
    }

    fn all(&self) -> Vec<(Arc<Box<dyn Key>>, Value)> {
        self.iter().map(|(key, held)| (key, held.value)).collect()
    }

    fn count(&self) -> u64 {
        self.entry_count()
    }

    fn upkeep(&self) {
        self.run_pending_tasks();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn values_are_found_by_keys_of_their_type_until_they_are_dropped() {
        let cache: Cache<(u8, String), Arc<str>> = Cache::new(100, Expiry::Never);
        let key = |text: &str| (1, text.to_owned());
        cache.insert(key("a"), "one".into());
        assert_eq!((cache.get(&key("a")).as_deref(), cache.get(&key("b"))), (Some("one"), None));
        cache.insert(key("a"), "two".into());
        assert_eq!(cache.entries(), [(key("a"), Arc::from("two"))]);
        cache.invalidate(&key("a"));
        assert!(!cache.contains_key(&key("a")));
        cache.insert(key("c"), "three".into());
        cache.clone().invalidate_all();
        assert_eq!(cache.get(&key("c")), None);
    }

    #[test]
    fn a_value_is_made_once() {
        let (cache, calls) = (Cache::new(100, Expiry::Idle(Duration::from_mins(1))), AtomicU32::new(0));
        let make = || calls.fetch_add(1, Ordering::Relaxed);
        assert_eq!((cache.get_with(7, make), cache.get_with(7, make), cache.get_with(8, make)), (0, 0, 1));
    }

    #[test]
    fn entries_leave_by_weight_and_by_age() {
        let cache = Cache::new(10, Expiry::After(Duration::from_millis(20)));
        for key in 0..100 {
            cache.insert_weighing(key, (), 5);
        }
        cache.run_pending_tasks();
        assert_eq!(cache.entry_count(), 2);
        std::thread::sleep(Duration::from_millis(30));
        assert!((0..100).all(|key| !cache.contains_key(&key)));
    }
}
