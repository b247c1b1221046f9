-- Up Migration

-- A paused queue is held where jobs start: pg-boss starts a job by making its row active. Whoever pauses waits for the
-- transactions that are starting jobs of the queue at this moment; those that come later see the pause.
create function hold_paused_job() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('paused_queues ' || new.name, 0));
  if exists (select from paused_queues where name = new.name) then
    return null;
  end if;
  return new;
end $$;

create function pause_queue(queue text, actor text, at timestamptz) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('paused_queues ' || queue, 0));
  insert into paused_queues (name, paused_by, paused_at) values (queue, actor, at) on conflict (name) do nothing;
end $$;

-- Down Migration

drop function pause_queue(text, text, timestamptz);
drop function hold_paused_job() cascade;
